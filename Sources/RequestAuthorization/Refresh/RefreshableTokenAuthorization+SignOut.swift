// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Revokes the token at the server, then signs out in the store and in memory.
    ///
    /// If the server cannot be reached, or asks to come back later, this throws and the session stays. Try again, or
    /// sign out on this machine only with ``reset()``. If the server refuses to revoke, signing out goes on; ``events``
    /// reports the refusal. A refresh under way is dropped, and the service is asked to revoke its token.
    ///
    ///     do { try await auth.signOut() } catch { show(error, or: { await auth.reset() }) }
    ///
    /// A user who signs in meanwhile stays signed in. With a read-only store this counts in this process only.
    ///
    /// - Throws: what ``RefreshableTokenService/revoke(_:)`` or the store threw, ``DeadlineExceeded`` if the server has
    ///   not answered within the policy's deadline, or `CancellationError`. A store that cannot be cleared is an event,
    ///   not an error; clearing it is tried again.
    public nonisolated func signOut() async throws {
        let (pause, former) = core.read { ($0.leftovers.pause, $0.signIns) }
        if let pause, clock.uptime < pause.end { throw pause.error.value }
        var revoked: TokenVersion?
        repeat {
            // A token that a refresh has brought meanwhile is revoked too.
            guard let current = try await current() else { break }
            if let revoked, current.version.session != revoked.session { return }
            if current.version != revoked { try await revoke(typed(current).token) }
            revoked = current.version
        } while !change { $0.reset(after: revoked, former: former, newSession: UUID.random(), &$1) }
        if revoked == nil, !change({ $0.reset(after: nil, former: former, newSession: UUID.random(), &$1) }) { return }
        await settleStore()
    }

    /// Returns the held or stored token without a refresh; `nil` if there is none.
    ///
    /// - Throws: what the store throws, if the token is known to the store only.
    package nonisolated func tokenAtHand() async throws -> Token? { try await current().map { typed($0).token } }

    // MARK: -

    private nonisolated func current() async throws -> HeldToken? {
        let (holding, kind) = core.read { ($0.holding, $0.vault.kind) }
        switch holding {
        case .absent, .ended: return nil
        case .unknown:
            guard case .loaded(let item, _, _) = try await load() else { return nil }
            return item?.token
        case .held(let held, _):
            // A sibling may have refreshed since.
            guard kind == .shared, case .loaded(let item?, _, _) = try? await load(), let newer = item.token,
                newer.version.session == held.version.session, newer.version.generation > held.version.generation
            else { return held }
            return newer
        }
    }

    private nonisolated func revoke(_ token: Token) async throws {
        guard core.read({ $0.vault.kind }) != .readOnly else { return }
        do {
            let service = service
            let revocation = Task { try await service.revoke(token) }
            try await withTaskCancellationHandler {
                try await revocation.value(within: policy.deadline, of: timer, for: "the revocation")
            } onCancel: {
                revocation.cancel()
            }
        } catch {
            let failure = RefreshFailure(error)
            guard failure.isRefusal else {
                if let pause = failure.retryAfter {
                    let end = clock.uptime + min(pause, policy.backOff.maximumRetryAfter)
                    change { state, _ in state.leftovers.delayRevocations(until: end, after: error) }
                }
                throw error
            }
            change { $1.emit(.revocationRefused, error: error) }
        }
    }
}
