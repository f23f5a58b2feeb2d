// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension RefreshableTokenAuthorization {
    /// Signs out everywhere: at the server, in the store, in memory, in this order.
    ///
    /// Nothing is lost on the way: if the server cannot be reached, or asks to come back later, this throws and everything
    /// stays; try again, or sign out here alone with ``reset()``. A server that refuses to revoke does not stop it; ``events``
    /// says so. A refresh that is under way is dropped, and the service is asked to revoke what it brings.
    ///
    ///     do { try await auth.signOut() } catch { show(error, or: { await auth.reset() }) }
    ///
    /// Who signs in while it runs stays signed in. With a read-only store it counts in this process alone, as ``reset()`` does.
    ///
    /// - Throws: what ``RefreshableTokenService/revoke(_:)`` or the store threw, ``DeadlineExceeded`` if the server has not
    ///   answered within the policy's deadline, or `CancellationError`. A store that cannot be cleared is an event, not an
    ///   error, and it is tried again.
    public nonisolated func signOut() async throws {
        if let failure = await revocationFailure(at: clock.uptime) { throw failure }
        var revoked: TokenVersion?
        repeat {
            // What a refresh has brought meanwhile is to be revoked too.
            guard let current = try await current() else { break }
            if let revoked, current.version.session != revoked.session { return }
            if current.version != revoked { try await revoke(current.token) }
            revoked = current.version
        } while !change { $0.reset(after: revoked, newSession: UUID(), &$1) }
        if revoked == nil, !change({ $0.reset(after: nil, newSession: UUID(), &$1) }) { return }
        await settleStore()
    }

    /// The token as it is kept, without a refresh: held, or in the store; `nil` if there is none.
    ///
    /// - Throws: what the store throws, if that alone knows.
    package nonisolated func tokenAtHand() async throws -> Token? { try await current()?.token }

    // MARK: -

    private nonisolated func current() async throws -> (token: Token, version: TokenVersion)? {
        let (credential, storage) = core.read { ($0.credential, $0.storage) }
        switch credential {
        case .absent, .ended: return nil
        case .unknown:
            guard case .loaded(let item?, _, _) = try await load(), let held = item.token else { return nil }
            return (typed(held).token, held.version)
        case .held(let held):
            // A sibling may have refreshed since.
            guard storage == .shared, case .loaded(let item?, _, _) = try? await load(), let newer = item.token,
                newer.version.session == held.version.session, newer.version.generation > held.version.generation
            else { return (typed(held).token, held.version) }
            return (typed(newer).token, newer.version)
        }
    }

    private nonisolated func revoke(_ token: Token) async throws {
        guard core.read({ $0.storage }) != .readOnly else { return }
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
                    await keep(error, for: min(pause, policy.backOff.maximumRetryAfter))
                }
                throw error
            }
            change { _, turn in turn.emit(.revocationRefused(error)) }
        }
    }

    /// What the server said last time, if it has asked to be left alone until later (RFC 7009 §2.2.1).
    private func revocationFailure(at uptime: Duration) -> (any Error)? {
        if let pause = revocationPause, uptime < pause.end { return pause.error }
        revocationPause = nil
        return nil
    }

    private func keep(_ error: any Error, for pause: Duration) {
        revocationPause = (error, clock.uptime + pause)
    }
}
