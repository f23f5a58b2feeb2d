// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A refused call, with the session in which it was sent first.
///
/// A provider that allows a retry records the session here, so nothing is recorded before a 401. It finds the call in a
/// task-local value, so a user's own provider may stand between.
@usableFromInline package final class SentCall: Sendable {
    /// The call that a provider is being told about.
    @TaskLocal static var current: SentCall?

    private struct Contents {
        var checks: [@Sendable () -> Bool] = []
        /// Called when the request is retried.
        var observers: [@Sendable () -> Void] = []
    }

    private let contents = Lock(Contents())

    @usableFromInline package init() {}

    /// Allows a retry as long as no sibling has replaced the session.
    ///
    /// - Parameter onTry: called when the request has its credential for the retry.
    func allowAnotherTry(unless isReplaced: @escaping @Sendable () -> Bool, onTry: @escaping @Sendable () -> Void) {
        contents.withLock { contents in
            contents.checks.append(isReplaced)
            contents.observers.append(onTry)
        }
    }

    /// Tells a provider of a 401.
    ///
    /// - Parameter isolation: the actor of the caller, on which the provider runs too.
    @usableFromInline package func tell<Request: AuthorizableRequest>(
        _ provider: some AuthorizationProvider, of refusal: UnauthorizedResponse, to authorized: Request,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await Self.$current.withValue(self) {
            _ = isolation
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: authorized)
        }
    }

    /// Passes an answer to a provider. If it wants a retry with a new proof, it records the session.
    @usableFromInline package func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        _ provider: some AuthorizationProvider, from response: Response, to authorized: Request
    ) -> Bool {
        Self.$current.withValue(self) { provider.learn(from: response, to: authorized) }
    }

    /// Authorizes a request for a retry.
    ///
    /// - Throws: what the provider throws, with the answer's challenge if the session is over; ``NotAuthorized`` if a
    ///   sibling has replaced the session before the new credential was set.
    @usableFromInline package func authorizeAgain<Request: AuthorizableRequest>(
        _ request: Request, by provider: some AuthorizationProvider, after refusal: some AuthorizableResponse
    ) async throws -> Request {
        do {
            let authorized = try await provider.authorize(request)
            let former = contents.withLock { contents in
                defer { contents.observers = [] }
                return contents
            }
            if former.checks.contains(where: { $0() }) { throw NotAuthorized(.sessionReplaced) }
            for observer in former.observers { observer() }
            return authorized
        } catch let error as NotAuthorized where error.isEndOfSession {
            throw error.asked(by: UnauthorizedResponse(of: refusal))
        }
    }
}
