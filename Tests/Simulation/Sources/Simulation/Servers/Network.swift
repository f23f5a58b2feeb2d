// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization
import SimulationCheck

/// Carries requests to the servers and their answers back, slowly, not at all or twice.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class Network: @unchecked Sendable {
    /// Percentages, and how long a slow answer takes at most.
    struct Weather: Sendable {
        var lost = 0
        var answerLost = 0
        var slow = 0
        var doubled = 0
        var slowest: SimulatedTime = .seconds(40)
    }

    let scheduler: Scheduler
    let ledger: Ledger
    let server: AuthorizationServer
    var weather = Weather()
    /// Called when a process sends a refresh token.
    var onAsk: ((SimulatedProcess) -> Void)?
    private var generator: Generator
    private var calls = 0

    init(_ scheduler: Scheduler, _ ledger: Ledger, _ server: AuthorizationServer, seed: UInt64) {
        (self.scheduler, self.ledger, self.server) = (scheduler, ledger, server)
        generator = Generator(seed: seed, stream: 5)
    }

    private func delay() -> SimulatedTime {
        if generator.chance(weather.slow) { return generator.time(.milliseconds(100)...weather.slowest / 2) }
        return generator.time(.milliseconds(2)...(.milliseconds(60)))
    }

    // MARK: The authorization server

    /// What a process asks the authorization server for.
    enum Call: Sendable {
        case refresh(String)
        case signIn(user: String)
        case revoke(String)
    }

    func send(_ what: Call, from process: SimulatedProcess) async throws -> TokenResponse {
        calls += 1
        let call = calls
        if case .refresh(let text) = what, let place = Place(text) {
            ledger.note(.asked(call: call, process: process.number, place))
            onAsk?(process)
        }
        let pending = Pending<TokenResponse>()
        let fate = Fate(&generator, weather)
        let (there, back) = (delay(), delay())
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                pending.continuation = continuation
                if Task.isCancelled { return pending.end(.failure(CancellationError())) }
                if fate == .unreachable {
                    return fail(pending, .unreachable, .notSent, after: there, call, process)
                }
                if fate == .lost {
                    return fail(pending, .timedOut, .mayHaveBeenProcessed, after: .seconds(10), call, process)
                }
                arrive(what, call, process, pending, fate, there, back)
            }
        } onCancel: {
            if !pending.isOver { ledger.note(.answerLost(call: call)) }
            pending.end(.failure(CancellationError()))
        }
    }

    private enum Fate {
        case good, unreachable, lost, answerLost, doubled

        init(_ generator: inout Generator, _ weather: Weather) {
            let (lost, answer, doubled) = (
                generator.chance(weather.lost), generator.chance(weather.answerLost), generator.chance(weather.doubled)
            )
            let isQuick = generator.chance(50)
            self = lost ? (isQuick ? .unreachable : .lost) : answer ? .answerLost : doubled ? .doubled : .good
        }
    }

    private func arrive(
        _ what: Call, _ call: Int, _ process: SimulatedProcess, _ pending: Pending<TokenResponse>, _ fate: Fate,
        _ there: SimulatedTime, _ back: SimulatedTime
    ) {
        scheduler.after(there, in: scheduler.world) { [self] in
            let answer = serve(what, call, process, isRepeated: false)
            if fate == .doubled {
                scheduler.after(back / 2, in: scheduler.world) { [self] in
                    _ = serve(what, call, process, isRepeated: true)
                }
            }
            if fate == .answerLost {
                return fail(pending, .connectionLost, .mayHaveBeenProcessed, after: back, call, process)
            }
            scheduler.after(back, in: process) { [self] in
                if pending.isOver { return }
                ledger.note(.delivered(call: call))
                let fields = [(name: "Content-Type", value: "application/json")]
                pending.end(
                    .success(TokenResponse(statusCode: answer.status, fields: fields, body: Array(answer.body.utf8))))
            }
        }
    }

    private func serve(_ what: Call, _ call: Int, _ process: SimulatedProcess, isRepeated: Bool)
        -> AuthorizationServer.Answer
    {
        switch what {
        case .refresh(let text): return server.refresh(text, call: call, from: process.number, isRepeated: isRepeated)
        case .signIn(let user): return server.issue(to: user)
        case .revoke(let text):
            server.revoke(text, isUnexpected: false)
            return .init(status: 200, body: "{}")
        }
    }

    private func fail(
        _ pending: Pending<TokenResponse>, _ code: TokenTransportError.Code, _ delivery: TokenRequestDelivery,
        after pause: SimulatedTime, _ call: Int, _ process: SimulatedProcess
    ) {
        scheduler.after(pause, in: process) { [ledger] in
            if pending.isOver { return }
            ledger.note(.answerLost(call: call))
            pending.end(.failure(TokenTransportError(code, delivery: delivery)))
        }
    }

    // MARK: Resource servers

    func send(_ request: ResourceRequest, from process: SimulatedProcess) async throws -> ResourceResponse {
        let pending = Pending<ResourceResponse>()
        let isLost = generator.chance(weather.lost)
        let (there, back) = (delay(), delay())
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                pending.continuation = continuation
                if Task.isCancelled { return pending.end(.failure(CancellationError())) }
                scheduler.after(there, in: scheduler.world) { [self] in
                    let response = answer(to: request, from: process)
                    scheduler.after(back, in: process) {
                        pending.end(isLost ? .failure(ResourceRequest.NoAnswer()) : .success(response))
                    }
                }
            }
        } onCancel: {
            pending.end(.failure(CancellationError()))
        }
    }

    private func answer(to request: ResourceRequest, from process: SimulatedProcess) -> ResourceResponse {
        let place = request.field.flatMap { $0.hasPrefix("Bearer ") ? Place(String($0.dropFirst(7))) : nil }
        if let place {
            ledger.note(
                .used(
                    request: request.number, process: process.number, place, origin: request.host,
                    isOurs: ResourceRequest.hosts.contains(request.host)))
        }
        guard ResourceRequest.hosts.contains(request.host) else { return ResourceResponse(statusCode: 200) }
        guard let place, server.isGood(place) else { return ResourceResponse(statusCode: 401) }
        if let next = request.redirect { return ResourceResponse(statusCode: 307, location: next) }
        return ResourceResponse(statusCode: 200)
    }
}
