// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The nonces and the times that servers require in proofs.
///
/// A service and all its tokens share one object. The nonces of an authorization server and of a resource server are
/// separate, even at one origin (RFC 9449 §8, §9).
final class ProofNonces: Sendable, RedactedDescription {
    enum Server: Hashable {
        case authorization(Origin)
        case resource(Origin)
    }

    struct State {
        var nonces: [Server: ServerNonce] = [:]
        /// The clocks of servers that differ from this machine's; `nil` for a server that is known not to differ.
        var clocks: [Server: ServerClock?] = [:]
        /// The clock of the authorization server, for servers whose clock is not known.
        var usualClock: ServerClock?
        /// For resources whose requests are made once more, the oldest first.
        var corrections: [(request: ProvenRequest, correction: ProofCorrection, madeAt: Duration)] = []
        var sent = SentProofs()
        var turns = ProofTurns()
    }

    let state = Lock(State())

    /// The name of the field with the proof, in lower case.
    static let field = "dpop"
    /// The number of servers whose nonces are kept. With more servers, some nonces have to be requested again.
    static let limit = 256
    /// The highest length of a nonce, in bytes.
    static let longest = 1024
    /// How long a corrected time is kept for the request that is made once more.
    static let lifetimeOfCorrection = Duration.seconds(10)

    /// The time for a message to a server: by its clock, once that is known to differ from this machine's.
    func time(for server: Server, by clock: any AuthorizationClock) -> Date {
        state.withLock { $0.clock(of: server) }?.time(at: clock.uptime) ?? clock.now
    }

    /// Returns what the next proof for a server holds. Waits while requests to the server take turns.
    ///
    /// Then call ``proof(_:to:signed:)``.
    ///
    /// - Parameters:
    ///   - request: the request to a resource, whose time may have been corrected.
    ///   - correction: the clock for one more try at an authorization server.
    /// - Throws: `CancellationError`.
    func nextProof(
        for server: Server, request: ProvenRequest? = nil, correctedBy correction: ProofCorrection? = nil,
        by clock: any AuthorizationClock
    ) async throws -> ProofClaims {
        // A request that was queued gets a new proof, and the former one was not sent.
        if let request { withdraw(request, isSent: false, at: clock.uptime) }
        var place: Int?
        while true {
            let (now, uptime) = (clock.now, clock.uptime)
            let step = state.withLock { state -> Step in
                if let limit = state.turns.take(server, place: place, among: &state.sent, at: uptime) {
                    let nap = Task.detached { _ = try? await clock.sleep(for: limit - uptime) }
                    place = state.turns.wait(for: server, place: place, nap: nap)
                    return .wait(nap)
                }
                let correction = correction ?? state.takeCorrection(for: request, at: uptime)
                return .go(state.claims(for: server, correction, now: now, uptime: uptime))
            }
            switch step {
            case .go(let claims): return claims
            case .wait(let nap): try await wait(for: nap, at: server, place)
            }
        }
    }

    private enum Step {
        case go(ProofClaims)
        case wait(Task<Void, Never>)
    }

    private func wait(for nap: Task<Void, Never>, at server: Server, _ place: Int?) async throws {
        await withTaskCancellationHandler {
            await nap.value
        } onCancel: {
            nap.cancel()
        }
        guard Task.isCancelled else { return }
        state.withLock { state in
            state.turns.leave(server, place)
            state.turns.wakeNext(server)
        }
        throw CancellationError()
    }

    /// Makes a proof that will be sent, and ends the turn of its request.
    func proof(_ claims: ProofClaims, to server: Server, signed: () throws -> String) rethrows -> String {
        do {
            let proof = try signed()
            state.withLock { state in
                state.sent.add(proof, claims, to: server)
                state.turns.made(server)
            }
            return proof
        } catch {
            state.withLock { state in
                state.turns.made(server)
                state.turns.wakeNext(server)
            }
            throw error
        }
    }
}

extension ProofNonces.State {
    fileprivate func claims(
        for server: ProofNonces.Server, _ correction: ProofCorrection?, now: Date, uptime: Duration
    ) -> ProofClaims {
        ProofClaims(
            nonce: nonces[server], madeAt: now, uptime: uptime,
            clock: correction.map(\.clock) ?? clock(of: server), isCorrected: correction != nil)
    }

    /// Returns the clock for a request that is made once more, and keeps it no longer.
    fileprivate mutating func takeCorrection(for request: ProvenRequest?, at uptime: Duration) -> ProofCorrection? {
        guard !corrections.isEmpty, let request else { return nil }
        corrections.removeAll { $0.madeAt + ProofNonces.lifetimeOfCorrection < uptime }
        guard let index = corrections.firstIndex(where: { $0.request.hasTarget(of: request) }) else { return nil }
        return corrections.remove(at: index).correction
    }
}

extension ProvenRequest {
    fileprivate func hasTarget(of other: ProvenRequest) -> Bool {
        (origin, method, uri) == (other.origin, other.method, other.uri)
    }
}
