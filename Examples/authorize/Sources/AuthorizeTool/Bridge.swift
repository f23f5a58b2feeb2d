// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import Synchronization

extension Tool {
    /// `authorize mcp`: passes messages of the Model Context Protocol between standard input and output, a line each, and
    /// a server with streamable HTTP.
    ///
    /// It asks no person. A request that needs a person is answered with an error that names the command.
    public func mcp(_ url: String) async throws {
        let session = try await place(of: url)
        let bridge = Bridge(self, url, session)
        try await run(login(session.url, as: session.options), settling: bridge.session.auth) { try await bridge.run() }
    }
}

/// One connection of a client to a server.
private final class Bridge: Sendable {
    private let tool: Tool
    private let url: String
    private let state: Mutex<State>
    /// The messages of the client. They end when it cannot be answered.
    private let (lines, input) = AsyncStream.makeStream(of: String.self)
    /// Waits as long as a tool works. The server's own stream begins again after a silence: its connection may be dead.
    private static let patientClient = Tool.client(silence: .hours(1))
    /// Why standard output cannot be written.
    private let output = Mutex<(any Error)?>(nil)
    /// Writes the lines: a client that reads nothing holds up the server, but neither a refresh nor the end by a signal.
    private let writer = DispatchQueue(label: "authorize mcp: standard output")

    private struct State {
        var session: Tool.Session
        /// `Mcp-Session-Id`.
        var connection: String?
        /// `MCP-Protocol-Version`: what the server agreed to.
        var version: String?
        /// The client's `initialize`.
        var opening: Message?
        /// Begins a session in place of one that the server has ended.
        var reopening: Task<Bool, any Error>?
        /// The id of an `initialize` that is repeated: the client has a response already.
        var repeated: JSONValue?
        var listening: Task<Void, Never>?
        /// The requests that the server has not answered, for the client that cancels one, or that has gone.
        var calls: [JSONValue: Task<Void, Never>] = [:]
        /// The server's requests that the client has not answered.
        var asked: Set<JSONValue> = []
        /// Whether the next success begins to listen: the client is ready, or a sign-in was missing.
        var isListeningDue = false
    }

    init(_ tool: Tool, _ url: String, _ session: Tool.Session) {
        (self.tool, self.url) = (tool, url)
        state = Mutex(State(session: session))
    }

    var session: Tool.Session { state.withLock { $0.session } }

    /// Passes messages on until the client closes its end, then waits for the answers, and ends the server's session.
    func run() async throws {
        StandardInput.read(into: input)
        await withDiscardingTaskGroup { group in
            var opening: Task<Void, Never>?
            for await line in lines where !line.isEmpty {
                let message = Message(line)
                // Requests and notifications wait for the opening. It may wait for a response, so a response does not.
                let earlier = message.method == nil ? nil : opening
                let call = Task {
                    await earlier?.value
                    await self.pass(message)
                }
                if ["initialize", "notifications/initialized"].contains(message.method) { opening = call }
                state.withLock {
                    $0.asked.subtract(message.responses)
                    if message.id != nil { $0.calls[message.call] = call }
                }
                group.addTask {
                    await withTaskCancellationHandler(operation: { await call.value }, onCancel: { call.cancel() })
                    self.state.withLock { $0.calls[message.call] = nil }
                }
                if let id = message.cancelled { state.withLock { $0.calls[id] }?.cancel() }
            }
            if output.withLock({ $0 != nil }) { group.cancelAll() }
        }
        let listening = state.withLock { $0.listening }
        listening?.cancel()
        await listening?.value
        await endSession()
        let rest = Task { await written() }
        await withTaskCancellationHandler {
            await rest.value
        } onCancel: {
            // After a signal, a client that reads gets whole lines; one that does not is waited for a second.
            DispatchQueue.global().asyncAfter(deadline: .now() + 1) { rest.cancel() }
        }
        if let error = output.withLock({ $0 }) { throw error }
    }

    // MARK: - From the client

    private func pass(_ message: Message) async {
        // A client that does not read gets no further answers.
        await written()
        guard message.isOfJSONRPC else {
            return answer([.null], message.isJSON ? -32600 : -32700, "the line is no message of JSON-RPC")
        }
        var waiting = message.requests
        if message.method != nil { _ = await state.withLock { $0.reopening }?.result }
        if message.method == "initialize" { state.withLock { $0.reopening = nil } }
        do {
            guard let problem = try await exchange(message, &waiting) else { return }
            answer(message.id == nil ? nil : waiting, -32000, problem)
        } catch {
            // The client waits no longer.
            guard !Task.isCancelled else { return }
            await answer(message.id == nil ? nil : waiting, error)
        }
    }

    /// Sends a message, and passes on what the server answers.
    ///
    /// If the server has ended the session, it is sent once more in a new one (MCP, Session Management).
    ///
    /// - Parameters:
    ///   - waiting: the requests without a response.
    ///   - isLast: whether it is sent once only.
    /// - Returns: why there is none.
    private func exchange(
        _ message: Message, _ waiting: inout [JSONValue], isLast: Bool = false
    ) async throws -> String? {
        if message.method == "initialize" { state.withLock { ($0.connection, $0.version) = (nil, nil) } }
        if message.method == "notifications/initialized" { state.withLock { $0.isListeningDue = true } }
        var request = request(.POST)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.replaceOrAdd(name: "Accept", value: "application/json, text/event-stream")
        for (name, value) in message.fields { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: message.line))
        let response = try await send(request, within: message.id == nil ? .minutes(1) : .hours(1))
        if !isLast, message.method != nil, response.status == .notFound,
            let ended = request.headers.first(name: "Mcp-Session-Id"), try await reopened(ended)
        {
            return try await exchange(message, &waiting, isLast: true)
        }
        guard (200..<300).contains(response.status.code) else {
            return try await refusal(response, to: request, &waiting)
        }
        let isOpening = message.method == "initialize"
        let connection = (isOpening ? response.headers : request.headers).first(name: "Mcp-Session-Id")
        if isOpening { state.withLock { ($0.connection, $0.opening) = (connection, message) } }
        listenIfDue()
        // Only requests are answered with a body.
        return message.id == nil ? nil : try await receive(response, &waiting, in: connection)
    }

    /// Begins a session in place of one that the server has ended, once for all requests that learn of its end.
    ///
    /// - Returns: whether there is one, with the version that the client knows.
    private func reopened(_ ended: String) async throws -> Bool {
        let reopening = state.withLock { state -> Task<Bool, any Error>? in
            guard state.connection == ended, let opening = state.opening, let version = state.version else {
                return state.reopening
            }
            (state.connection, state.repeated) = (nil, opening.id)
            let asked = state.asked
            state.asked = []
            let task = Task<Bool, any Error> {
                // The next session may use the same ids, and must not get the answers.
                for id in asked {
                    write(["method": .string("notifications/cancelled"), "params": .object(["requestId": id])])
                }
                var (waiting, isOpen) = (opening.requests, false)
                var failure: (any Error)?
                do {
                    _ = try await exchange(opening, &waiting, isLast: true)
                    if self.state.withLock({ $0.version == version }) {
                        let ready = Message(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
                        isOpen = try await exchange(ready, &waiting, isLast: true) == nil
                    }
                } catch { failure = error }
                if !isOpen { await endSession() }
                self.state.withLock { state in
                    state.repeated = nil
                    // The next request tries again.
                    if !isOpen { (state.connection, state.version, state.reopening) = (ended, version, nil) }
                }
                if let failure { throw failure }
                return isOpen
            }
            state.reopening = task
            return task
        }
        guard let reopening else { return false }
        let result = await withTaskCancellationHandler(
            operation: { await reopening.result }, onCancel: { reopening.cancel() })
        // The client may have cancelled another request that waited.
        if case .failure = result, reopening.isCancelled, !Task.isCancelled { return try await reopened(ended) }
        return try result.get()
    }

    /// Tells the server that its session is not needed (MCP, Session Management), also in a task that is cancelled.
    private func endSession() async {
        guard state.withLock({ $0.connection != nil }) else { return }
        _ = await Task { try? await send(request(.DELETE), within: .seconds(5)) }.value
    }

    private func request(_ method: HTTPMethod) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = method
        let (connection, version) = state.withLock { ($0.connection, $0.version) }
        if let connection { request.headers.add(name: "Mcp-Session-Id", value: connection) }
        if let version { request.headers.add(name: "MCP-Protocol-Version", value: version) }
        return request
    }

    /// Sends a request; once more if it needs a sign-in, and there was one meanwhile.
    private func send(
        _ request: HTTPClientRequest, within limit: TimeAmount, by client: HTTPClient = patientClient
    ) async throws -> HTTPClientResponse {
        var session = session
        // The provider of a session with a key would bind the tokens of a later sign-in without one.
        if session.isBound, (try? await session.auth.storedSession())?.isBound == false {
            session = try await replacement(of: session) ?? session
        }
        do {
            return try await execute(request, session, limit, client)
        } catch  where Self.needsSignIn(error) {
            guard let next = try await replacement(of: session) else { throw error }
            return try await execute(request, next, limit, client)
        }
    }

    private func execute(
        _ request: HTTPClientRequest, _ session: Tool.Session, _ limit: TimeAmount, _ client: HTTPClient
    ) async throws -> HTTPClientResponse {
        let response = try await client.execute(
            request, timeout: limit, authorizedBy: session.auth, clientFollowsRedirects: false)
        guard [.unauthorized, .forbidden].contains(response.status) else { return response }
        let challenges = AuthenticationChallenge.parse(response.headers["WWW-Authenticate"])
        guard let challenge = challenges.first(where: { $0.error == "insufficient_scope" }) ?? challenges.first else {
            return response
        }
        throw NotAuthorized(.needsInteraction, challenge: challenge)
    }

    private static func needsSignIn(_ error: any Error) -> Bool {
        guard let error = error as? NotAuthorized else { return error is ProofUnavailable }
        return error.needsSignIn || error.underlying is ProofUnavailable
    }

    /// The session in place of one that needs a sign-in: at another URL, or with tokens that are bound otherwise.
    private func replacement(of old: Tool.Session) async throws -> Tool.Session? {
        let found = try await tool.place(of: url)
        let session = state.withLock { state in
            // A provider follows sign-ins at its own URL.
            if (found.url, found.isBound) != (state.session.url, state.session.isBound) { state.session = found }
            return state.session
        }
        guard session.auth !== old.auth else { return nil }
        try? await old.auth.settle(within: .seconds(10))
        return session
    }

    // MARK: - From the server

    /// Passes on the body of an answer, and of the streams that continue it.
    ///
    /// - Returns: why a request may have no response.
    private func receive(
        _ response: HTTPClientResponse, _ waiting: inout [JSONValue], in connection: String?
    ) async throws -> String {
        guard response.isEventStream else {
            deliver(Message(try await response.body.collect(upTo: EventStream.longest).readableBytesView), &waiting)
            return "the server answered \(response.status.code) without a response to this request"
        }
        var events = EventStream()
        try await copy(response, &events, &waiting)
        if !waiting.isEmpty, events.lastID != nil { try await follow(&events, &waiting, in: connection) }
        return "the server's stream ended before the response"
    }

    /// Begins to receive what the server sends without being asked.
    private func listenIfDue() {
        state.withLock { state in
            guard state.isListeningDue else { return }
            state.isListeningDue = false
            state.listening?.cancel()
            state.listening = Task {
                var (events, none) = (EventStream(), [JSONValue]())
                do {
                    try await follow(&events, &none)
                } catch {
                    guard !Task.isCancelled else { return }
                    self.state.withLock { $0.isListeningDue = true }
                    await answer(nil, error)
                }
            }
        }
    }

    /// Gets what comes after the last event, over as many connections as it takes.
    ///
    /// It returns when there are no more requests without a response, or when the server has no such stream.
    private func follow(
        _ events: inout EventStream, _ waiting: inout [JSONValue], in connection: String? = nil
    ) async throws {
        let isUnasked = waiting.isEmpty
        while isUnasked || !waiting.isEmpty && !events.isSilent {
            try await SystemClock.system.sleep(for: events.pause)
            do {
                var request = request(.GET)
                // Another session knows neither the event nor the request.
                if !isUnasked, request.headers.first(name: "Mcp-Session-Id") != connection { return }
                request.headers.add(name: "Accept", value: "text/event-stream")
                if let last = events.lastID { request.headers.add(name: "Last-Event-ID", value: last) }
                let response = try await send(
                    request, within: .minutes(1), by: isUnasked ? Tool.client : Self.patientClient)
                if response.status == .ok {
                    guard response.isEventStream else { return }
                    let start = SystemClock.system.uptime
                    try await copy(response, &events, &waiting)
                    events.end(after: SystemClock.system.uptime - start)
                } else {
                    if response.status == .methodNotAllowed { return }
                    events.fail(response.headers.first(name: "Retry-After"))
                }
            } catch {
                if Task.isCancelled || Self.needsSignIn(error) || error is ToolFailure { throw error }
                events.fail()
            }
        }
    }

    /// Passes on the messages of a stream until it ends or breaks, or has answered all requests.
    private func copy(
        _ response: HTTPClientResponse, _ events: inout EventStream, _ waiting: inout [JSONValue]
    ) async throws {
        let isUnasked = waiting.isEmpty
        events.begin()
        let (chunks, chunk) = AsyncStream.makeStream(of: ByteBuffer.self)
        // The server waits until the client has read what came before.
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            var allowed = turns.makeAsyncIterator()
            do {
                for try await part in response.body {
                    chunk.yield(part)
                    _ = await allowed.next()
                }
            } catch {}
            chunk.finish()
        }
        // A stream should end after the response; then its connection can be used again.
        defer {
            turn.finish()
            Task {
                try? await SystemClock.system.sleep(for: .seconds(1))
                reading.cancel()
            }
        }
        for await chunk in chunks {
            guard let ended = events.read(chunk.readableBytesView) else { throw ToolFailure.tooLong }
            for data in ended { deliver(Message(data), &waiting) }
            if !isUnasked, waiting.isEmpty { return }
            await written()
            turn.yield()
        }
        try Task.checkCancellation()
    }

    /// Passes a message on, and notes what it asks and answers, and the version that the server agrees to.
    private func deliver(_ message: Message, _ waiting: inout [JSONValue]) {
        struct Opening: Decodable {
            struct Result: Decodable { let protocolVersion: String }
            let result: Result
        }
        guard message.isOfJSONRPC else { return }
        let hasVersion = state.withLock { state in
            state.asked.formUnion(message.requests)
            return state.version != nil
        }
        if !hasVersion, let opening = try? JSONDecoder().decode(Opening.self, from: Data(message.line.utf8)) {
            state.withLock { $0.version = opening.result.protocolVersion }
        }
        waiting.removeAll { message.responses.contains($0) }
        if let repeated = state.withLock({ $0.repeated }), message.responses == [repeated] { return }
        write(message.line)
    }

    /// Passes on the response of a server that refuses a message.
    ///
    /// - Returns: what a request without one is told.
    private func refusal(
        _ response: HTTPClientResponse, to request: HTTPClientRequest, _ waiting: inout [JSONValue]
    ) async throws -> String {
        let answer = Message(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        if !answer.responses.isEmpty, answer.responses.allSatisfy(waiting.contains) { deliver(answer, &waiting) }
        let status = response.status
        let isEnd = status == .notFound && request.headers.contains(name: "Mcp-Session-Id")
        if isEnd { return "the server has ended this connection; connect again" }
        // Often the URL lacks the slash at its end, or has one too many.
        let place = response.headers.first(name: "Location").map { "; use the URL that it names: \($0)" }
        return "the server answered \(status.code)\(place ?? "")"
    }

    // MARK: - To the client

    /// Writes a message of the bridge's own.
    private func write(_ message: [String: JSONValue]) {
        var whole = message
        whole["jsonrpc"] = .string("2.0")
        if let line = try? Output.json(JSONValue.object(whole), isPretty: false) { write(line) }
    }

    private func write(_ line: String) {
        writer.async { [self] in
            guard output.withLock({ $0 == nil }) else { return }
            do {
                try Output.show(line)
            } catch {
                output.withLock { $0 = error }
                input.finish()
                // The client may have ended before, and its input with it.
                for call in state.withLock({ $0.calls }).values { call.cancel() }
            }
        }
    }

    /// Waits until the client has read all lines so far, or until the task is cancelled.
    private func written() async {
        let (unwritten, end) = AsyncStream.makeStream(of: Void.self)
        writer.async { end.finish() }
        for await _ in unwritten {}
    }

    private func answer(_ requests: [JSONValue]?, _ error: any Error) async {
        // Somebody may have signed in with other words since the session was found.
        let found = (try? await tool.place(of: url)) ?? session
        var (place, options) = (found.url, found.options)
        // A request that needs more scopes than there are. They are for its own URL.
        if let more = (error as? NotAuthorized)?.challenge?.scope, !more.isEmpty, let stored = found.stored {
            place = url
            options.scopes.formUnion(stored.scopes.union(more))
        }
        let login = tool.login(place, as: options)
        let failure = ToolFailure(error, login: login)
        let needsPerson = failure.status == .notSignedIn
        let text = needsPerson ? "\(failure.message): run `\(login)`" : failure.message
        answer(requests, needsPerson ? -32001 : -32000, PlainText.clean(text))
    }

    /// Answers requests in the place of the server; without any, the user is told.
    private func answer(_ requests: [JSONValue]?, _ code: Int, _ text: String) {
        guard let requests else { return Output.note("error: \(text)") }
        let error = JSONValue.object(["code": .integer(Int64(code)), "message": .string(text)])
        for id in requests { write(["id": id, "error": error]) }
    }
}

extension HTTPClientResponse {
    fileprivate var isEventStream: Bool {
        headers.first(name: "Content-Type")?.lowercased().hasPrefix("text/event-stream") == true
    }
}
