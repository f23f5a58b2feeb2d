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
        let bridge: Bridge
        do {
            bridge = Bridge(self, url, try await place(of: url))
        } catch {
            throw ToolFailure(error, login: login(url))
        }
        try await run(login(url), settling: bridge.session.auth) { try await bridge.run() }
    }
}

/// One connection of a client to a server.
private final class Bridge: Sendable {
    private let tool: Tool
    private let url: String
    private let state: Mutex<State>
    /// The messages of the client. They end when it cannot be answered.
    private let (lines, input) = AsyncStream.makeStream(of: String.self)
    /// Why standard output cannot be written.
    private let output = Mutex<(any Error)?>(nil)

    private struct State {
        var session: Tool.Session
        /// `Mcp-Session-Id`.
        var connection: String?
        /// `MCP-Protocol-Version`: what the server agreed to.
        var version: String?
        var listening: Task<Void, Never>?
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
            for await line in lines where !line.isEmpty {
                let message = Message(line)
                // What comes after these relies on them.
                if ["initialize", "notifications/initialized"].contains(message.method) {
                    await pass(message)
                } else {
                    group.addTask { await self.pass(message) }
                }
            }
            if output.withLock({ $0 != nil }) { group.cancelAll() }
        }
        let listening = state.withLock { $0.listening }
        listening?.cancel()
        await listening?.value
        if let error = output.withLock({ $0 }) { throw error }
        guard state.withLock({ $0.connection }) != nil else { return }
        _ = try? await send(request(.DELETE), within: .seconds(5))
    }

    // MARK: - From the client

    private func pass(_ message: Message) async {
        if message.method == "notifications/initialized" { state.withLock { $0.isListeningDue = true } }
        do {
            var request = request(.POST)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.headers.replaceOrAdd(name: "Accept", value: "application/json, text/event-stream")
            request.body = .bytes(ByteBuffer(string: message.line))
            let response = try await send(request, within: message.id == nil ? .minutes(1) : .hours(1))
            guard (200..<300).contains(response.status.code) else { return try await refuse(message, response) }
            if message.method == "initialize" {
                state.withLock { $0.connection = response.headers.first(name: "Mcp-Session-Id") }
            }
            listenIfDue()
            let isAnswered = try await copy(response, answering: message)
            if message.id != nil, !isAnswered { answer(message, -32000, "the server's answer ended early") }
        } catch {
            await answer(message, error)
        }
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
    private func send(_ request: HTTPClientRequest, within limit: TimeAmount) async throws -> HTTPClientResponse {
        let session = session
        do {
            return try await execute(request, session, limit)
        } catch  where Self.needsSignIn(error) {
            guard let next = try await replacement(of: session) else { throw error }
            return try await execute(request, next, limit)
        }
    }

    private func execute(
        _ request: HTTPClientRequest, _ session: Tool.Session, _ limit: TimeAmount
    ) async throws -> HTTPClientResponse {
        let response = try await Tool.client.execute(
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

    /// Begins to receive what the server sends without being asked.
    private func listenIfDue() {
        state.withLock { state in
            guard state.isListeningDue else { return }
            state.isListeningDue = false
            state.listening?.cancel()
            state.listening = Task {
                do {
                    try await listen()
                } catch {
                    guard !Task.isCancelled else { return }
                    self.state.withLock { $0.isListeningDue = true }
                    await answer(nil, error)
                }
            }
        }
    }

    /// Receives what the server sends without being asked, if it can do that.
    private func listen() async throws {
        var pause = Duration.seconds(1)
        var last: String?
        while !Task.isCancelled {
            do {
                var request = request(.GET)
                request.headers.add(name: "Accept", value: "text/event-stream")
                if let last { request.headers.add(name: "Last-Event-ID", value: last) }
                let response = try await send(request, within: .seconds(60))
                guard response.status == .ok, response.isEventStream else { return }
                pause = .seconds(1)
                for try await event in EventStream(response.body) {
                    last = event.id ?? last
                    write(event.data)
                }
            } catch  where Self.needsSignIn(error) {
                throw error
            } catch {}
            guard (try? await SystemClock().sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, .seconds(60))
        }
    }

    /// Writes the messages of an answer.
    ///
    /// - Returns: whether there were any.
    private func copy(_ response: HTTPClientResponse, answering message: Message) async throws -> Bool {
        var isAnswered = false
        if response.isEventStream {
            for try await event in EventStream(response.body) where !event.data.isEmpty {
                note(event.data, answering: message)
                write(event.data)
                isAnswered = true
            }
        } else {
            let body = try await response.body.collect(upTo: 64 << 20)
            guard body.readableBytes > 0 else { return false }
            note(body.readableBytesView, answering: message)
            write(body.readableBytesView)
            isAnswered = true
        }
        return isAnswered
    }

    /// The answer to `initialize`, as much of it as the bridge needs.
    private struct Opening: Decodable {
        struct Result: Decodable { let protocolVersion: String }
        let result: Result?
    }

    /// Notes the version that the server agrees to.
    private func note(_ answer: some Sequence<UInt8>, answering message: Message) {
        guard message.method == "initialize",
            let version = (try? JSONDecoder().decode(Opening.self, from: Data(answer)))?.result?.protocolVersion
        else { return }
        state.withLock { $0.version = version }
    }

    /// Answers in the place of a server that refuses a message.
    private func refuse(_ message: Message, _ response: HTTPClientResponse) async throws {
        let body = try await response.body.collect(upTo: 1 << 20)
        struct Face: Decodable { let jsonrpc: String, error: JSONValue, id: JSONValue? }
        let face = try? JSONDecoder().decode(Face.self, from: Data(body.readableBytesView))
        if face != nil, face?.id == message.id { return write(body.readableBytesView) }
        let connection = state.withLock { $0.connection }
        if response.status == .notFound, connection != nil {
            state.withLock { $0.connection = nil }
            return answer(message, -32000, "the server has ended this connection; connect again")
        }
        answer(message, -32000, "the server answered \(response.status.code)")
    }

    // MARK: - To the client

    /// A line: line breaks between the parts of JSON are spaces.
    private func write(_ message: some Sequence<UInt8>) {
        let line = message.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        output.withLock { failure in
            guard failure == nil else { return }
            do {
                try Output.show(String(decoding: line, as: UTF8.self))
            } catch {
                failure = error
                input.finish()
            }
        }
    }

    /// The scopes that a sign-in must ask for, if a request needed more than there are.
    private func scopes(for error: any Error) async -> Set<String> {
        guard let more = (error as? NotAuthorized)?.challenge?.scope, !more.isEmpty,
            let stored = try? await session.auth.storedSession()
        else { return [] }
        return stored.scopes.union(more)
    }

    private func answer(_ message: Message?, _ error: any Error) async {
        let login = await scopes(for: error).sorted()
            .reduce(tool.login(url)) { "\($0) --scope \(Tool.shellWord($1))" }
        let failure = ToolFailure(error, login: login)
        let needsPerson = failure.status == .notSignedIn
        let text = needsPerson ? "\(failure.message): run `\(login)`" : failure.message
        answer(message, needsPerson ? -32001 : -32000, PlainText.clean(text))
    }

    private func answer(_ message: Message?, _ code: Int, _ text: String) {
        struct Answer: Encodable {
            struct Failure: Encodable { let code: Int, message: String }
            let jsonrpc = "2.0"
            let id: JSONValue
            let error: Failure
        }
        guard let id = message?.id else { return Output.note("error: \(text)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let answer = try? encoder.encode(Answer(id: id, error: .init(code: code, message: text))) else {
            return
        }
        write(answer)
    }
}

extension HTTPClientResponse {
    fileprivate var isEventStream: Bool {
        headers.first(name: "Content-Type")?.lowercased().hasPrefix("text/event-stream") == true
    }
}

/// Server-sent events, each with its data.
struct EventStream<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == ByteBuffer {
    private let chunks: Chunks

    init(_ chunks: Chunks) { self.chunks = chunks }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator
        private var bytes = ByteBuffer()
        private var parser = EventParser()

        fileprivate init(chunks: Chunks.AsyncIterator) { self.chunks = chunks }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> EventParser.Event? {
            while true {
                while let byte = bytes.readInteger(as: UInt8.self) {
                    if let event = parser.read(byte) { return event }
                }
                guard let chunk = try await chunks.next(isolation: actor) else { return nil }
                bytes = chunk
            }
        }
    }
}
