// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call that was refused: in which session it was sent first.
///
/// A provider that allows another try remembers the session here, so that nothing has to be remembered before a 401. It finds
/// the call in a task-local value: also one that stands behind a provider of the user's.
@usableFromInline package final class SentCall: Sendable {
    /// The call about which a provider is being told.
    @TaskLocal static var current: SentCall?

    private struct Contents {
        var checks: [@Sendable () -> Bool] = []
        /// Providers that want to know of the next try.
        var observers: [@Sendable () -> Void] = []
    }

    private let contents = Lock(Contents())

    @usableFromInline package init() {}

    /// Another try is allowed as long as no sibling has replaced the session.
    ///
    /// - Parameter onTry: called when the request has its credential for another try.
    func allowAnotherTry(unless isReplaced: @escaping @Sendable () -> Bool, onTry: @escaping @Sendable () -> Void) {
        contents.withLock { contents in
            contents.checks.append(isReplaced)
            contents.observers.append(onTry)
        }
    }

    /// Tells a provider of a 401.
    ///
    /// - Parameter isolation: the closure runs there too: a provider runs where its caller runs.
    @usableFromInline package func tell<Request: AuthorizableRequest>(
        _ provider: some AuthorizationProvider, of refusal: UnauthorizedResponse, to authorized: Request,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await Self.$current.withValue(self) {
            _ = isolation
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(refusal, for: authorized)
        }
    }

    /// Shows a provider an answer; if another proof is worth a try, it says what that depends on.
    @usableFromInline package func learn<Response: AuthorizableResponse, Request: AuthorizableRequest>(
        _ provider: some AuthorizationProvider, from response: Response, to authorized: Request
    ) -> Bool {
        Self.$current.withValue(self) { provider.learn(from: response, to: authorized) }
    }

    /// Authorizes a request for another try.
    ///
    /// - Throws: what the provider throws, with the answer's challenge if the session is over; ``NotAuthorized`` if a sibling
    ///   has replaced it between the answer and the new credential.
    @usableFromInline package func authorizeAgain<Request: AuthorizableRequest>(
        _ request: Request, by provider: some AuthorizationProvider, after refusal: UnauthorizedResponse
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
            throw error.asked(by: refusal)
        }
    }
}
