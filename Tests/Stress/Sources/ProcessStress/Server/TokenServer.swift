// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// A token endpoint and a resource on loopback. Every decision is written to a log.
///
///     POST /token    grant_type=password | grant_type=refresh_token&refresh_token=…
///     GET  /use      Authorization: Bearer …
///     POST /failed   a worker got an error in place of a token
///     POST /ended    a worker has ended the session
///     POST /replaced a worker has signed in as another user: Authorization: Bearer …
///     POST /control  how long a worker waited for a bare lock
///     POST /ping     nothing
///
/// One thread does everything in turn: a decision, its line in the log, its answer. So an exchange is atomic, and no
/// client learns of anything that is not in the log. A client that goes away affects only the delivery of its answer.
final class TokenServer: Sendable {
    struct Options: Sendable {
        var setting: RunSetting
        /// The lifetime of access tokens, in seconds.
        var lifetime: Double
        /// The delay of the token endpoint's next answer after the commit.
        var delay: @Sendable () -> Duration = { .zero }
        /// The delay of the next 401 that is given on purpose.
        var refusalDelay: @Sendable () -> Duration = { .zero }
        /// Every n-th answer of the token endpoint is dropped; 0 for none.
        var losesEvery = 0
    }

    let port: UInt16
    private let options: Options
    private let journal: Journal
    private let clock: ClockPage
    private let listener: Int32
    private let wakeUp: Channel
    /// Called with each exchange after it is logged and before it is answered.
    private let onCommit: @Sendable (ProcessName) -> Void
    private let orders = Mutex(Orders())

    private struct Orders {
        /// The workers whose next use gets a 401, and whether that answer waits until another user has signed in.
        var refusals: [Int: Bool] = [:]
        var isStopped = false
    }

    init(
        _ options: Options, journal: Journal, clock: ClockPage,
        onCommit: @escaping @Sendable (ProcessName) -> Void = { _ in }
    ) throws {
        self.options = options
        self.journal = journal
        self.clock = clock
        self.onCommit = onCommit
        (listener, port) = try Sockets.listen()
        wakeUp = try Channel()
    }

    /// Serves on its own thread until ``stop()``.
    func start() {
        Thread { self.run() }.start()
    }

    func stop() {
        orders.withLock { $0.isStopped = true }
        wakeUp.finish()
    }

    /// Answers the next use of a token by this worker with 401, even if the token is valid.
    ///
    /// - Parameter untilReplaced: whether the answer waits until another user has signed in.
    func refuseNextUse(by worker: Int, untilReplaced: Bool = false) {
        orders.withLock { $0.refusals[worker] = untilReplaced }
    }

    // MARK: - The thread

    /// The state of the thread, which no other thread uses.
    private struct State {
        var tokens: RotatingTokens
        var connections: [Int32: Connection] = [:]
        var exchanges = 0
    }

    private struct Connection {
        var buffer: [UInt8] = []
        /// The delayed answers, in order.
        var answers: [Pending] = []

        /// A copy in which no answer waits for a sign-in any more.
        func withAnswersDue(by time: ContinuousClock.Instant) -> Connection {
            var copy = self
            for index in copy.answers.indices where copy.answers[index].due == nil { copy.answers[index].due = time }
            return copy
        }
    }

    private struct Pending {
        let bytes: [UInt8]
        /// `nil` until another user has signed in.
        var due: ContinuousClock.Instant?
        /// The log line of the call; `nil` if its delivery is not logged.
        let call: Int?
        /// Whether to close the connection without this answer.
        var isDropped = false
    }

    private func run() {
        var state = State(
            tokens: RotatingTokens(
                mode: options.setting.graceMode, grace: options.setting.grace, lifetime: options.lifetime))
        while !orders.withLock(\.isStopped) {
            do {
                for file in try ready(state) { try take(from: file, &state) }
                try answer(&state)
            } catch {
                // A decision that cannot be logged must not be answered.
                FileHandle.standardError.write(Data("the server has stopped: \(error)\n".utf8))
                break
            }
        }
        for file in state.connections.keys { close(file) }
        close(listener)
    }

    /// Waits until a socket is readable or an answer is due.
    private func ready(_ state: State) throws -> [Int32] {
        var files = ([listener, wakeUp.far.number] + state.connections.keys).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let due = state.connections.values.compactMap { $0.answers.first.flatMap(\.due) }.min()
        let patience = due.map { max(0, Int32(($0 - .now) / .milliseconds(1)) + 1) } ?? -1
        guard poll(&files, nfds_t(files.count), patience) >= 0 || errno == EINTR else { throw SystemError("poll") }
        return files.filter { $0.revents != 0 }.map(\.fd)
    }

    private func take(from file: Int32, _ state: inout State) throws {
        if file == wakeUp.far.number { return }
        if file == listener {
            if let accepted = Sockets.accept(listener) { state.connections[accepted] = Connection() }
            return
        }
        guard let bytes = Sockets.read(file) else { return try hangUp(file, &state) }
        state.connections[file]?.buffer += bytes
        while var connection = state.connections[file], let request = LoopbackRequest(from: &connection.buffer) {
            connection.answers.append(try serve(request, &state))
            state.connections[file] = connection
        }
    }

    /// Closes a connection, because the client is gone or its answer is dropped. Its answers count as lost.
    private func hangUp(_ file: Int32, reason: String? = nil, _ state: inout State) throws {
        let connection = state.connections.removeValue(forKey: file)
        shutdown(file, Int32(SHUT_RDWR))
        close(file)
        for call in connection?.answers.compactMap(\.call) ?? [] {
            try journal.append(LogLine(.answerLost, call: call, detail: reason))
        }
    }

    private func answer(_ state: inout State) throws {
        let now = ContinuousClock.now
        for file in state.connections.keys {
            while let pending = state.connections[file]?.answers.first, pending.due.map({ $0 <= now }) ?? false {
                if pending.isDropped {
                    try hangUp(file, reason: "dropped", &state)
                } else if Sockets.write(pending.bytes, to: file) {
                    if let call = pending.call { try journal.append(LogLine(.answered, call: call)) }
                    state.connections[file]?.answers.removeFirst()
                } else {
                    try hangUp(file, &state)
                }
            }
        }
    }

    // MARK: - Decisions

    private func serve(_ request: LoopbackRequest, _ state: inout State) throws -> Pending {
        switch request.path {
        case "/token": return try serveToken(request, &state)
        case "/use": return try serveUse(request, &state)
        case "/failed":
            let event: LogLine.Event =
                if request.fields["signed-out"] == "yes" {
                    .signedOut
                } else {
                    request.fields["replaced"] == "yes" ? .dismissed : .failed
                }
            var line = LogLine(
                event, process: request.process, held: request.held, detail: request.fields["failure"])
            line.lockWaits = request.lockWaits
            try journal.append(line)
            return Pending(bytes: LoopbackAnswer(200).bytes, due: .now, call: nil)
        case "/ended":
            try journal.append(LogLine(.ended, process: request.process, place: journal.progress.newest))
            return Pending(bytes: LoopbackAnswer(200).bytes, due: .now, call: nil)
        case "/replaced":
            let place = state.tokens.place(of: request.accessToken ?? "")
            try journal.append(LogLine(.replaced, process: request.process, place: place))
            state.connections = state.connections.mapValues { $0.withAnswersDue(by: .now) }
            return Pending(bytes: LoopbackAnswer(200).bytes, due: .now, call: nil)
        case "/control":
            var line = LogLine(.controlled, process: request.process)
            line.lockWaits = request.lockWaits
            try journal.append(line)
            return Pending(bytes: LoopbackAnswer(200).bytes, due: .now, call: nil)
        case "/ping": return Pending(bytes: LoopbackAnswer(200).bytes, due: .now, call: nil)
        default: return Pending(bytes: LoopbackAnswer(404).bytes, due: .now, call: nil)
        }
    }

    private func serveToken(_ request: LoopbackRequest, _ state: inout State) throws -> Pending {
        let now = clock.now
        let decision =
            switch request.form["grant_type"] {
            case "password": state.tokens.signIn(at: now)
            default: state.tokens.exchange(request.form["refresh_token"] ?? "", at: now)
            }
        let call = try journal.append(LogLine(decision.event, process: request.process, place: decision.place))
        if decision.event == .committed, let process = request.process { onCommit(process) }
        state.exchanges += decision.event == .committed ? 1 : 0
        let isDropped =
            decision.event == .committed && options.losesEvery > 0 && state.exchanges % options.losesEvery == 0
        let answer = try decision.pair.map { try LoopbackAnswer($0, at: now) } ?? .invalidGrant
        return Pending(
            bytes: answer.bytes, due: .now + options.delay(), call: call,
            isDropped: isDropped)
    }

    private func serveUse(_ request: LoopbackRequest, _ state: inout State) throws -> Pending {
        let refusal = orders.withLock { orders in
            request.process.flatMap { orders.refusals.removeValue(forKey: $0.worker) }
        }
        let isRefused = refusal != nil
        let token = request.accessToken ?? ""
        // A token that got a 401 on purpose does not count as used.
        let (place, isGood) =
            isRefused ? (state.tokens.place(of: token), false) : state.tokens.use(token, at: clock.now)
        var line = LogLine(
            isGood ? .used : .unauthorized, process: request.process, place: place, held: request.held,
            detail: isRefused ? "on purpose" : nil)
        line.request = request.number
        line.lockWaits = request.lockWaits
        let number = try journal.append(line)
        let due: ContinuousClock.Instant? =
            switch refusal {
            case nil: .now
            case false?: .now + options.refusalDelay()
            case true?: nil
            }
        return Pending(
            bytes: LoopbackAnswer(isGood ? 200 : 401).bytes, due: due, call: refusal == nil ? nil : number)
    }
}
