// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

/// The public types of the core and of the test kit.
@MainActor
extension Exhibit {
    static func all() async throws -> [Exhibit] {
        try constantProviders() + tokens(CarefulToken()) + tokens(LooseToken()) + tokens(TestToken(Secret.text))
            + errors()
            + messages() + stores(CarefulToken()) + stores(LooseToken()) + (try await doubles())
            + (try await refreshable())
    }

    // MARK: - Providers

    private static func constantProviders() throws -> [Exhibit] {
        let loose = LooseAuthorization()
        return [
            Exhibit("BearerTokenAuthorization", BearerTokenAuthorization(token: Secret.text)),
            Exhibit("BearerTokenAuthorization", BearerTokenAuthorization(token: Secret.text + "\r\n")),
            Exhibit("BasicAuthorization", BasicAuthorization(username: "user", password: Secret.text)),
            Exhibit("BasicAuthorization", BasicAuthorization(username: Secret.text + ":", password: Secret.text)),
            Exhibit("HeaderAuthorization", HeaderAuthorization(field: "X-API-Key", value: Secret.text)),
            Exhibit("HeaderAuthorization", HeaderAuthorization(field: Secret.text + " ", value: Secret.text + "\n")),
            Exhibit("ClosureAuthorization", ClosureAuthorization { [key = Secret.text] in key }),
            Exhibit("Credential", try Credential.bearer(Secret.text).adding(Secret.text, in: "X-API-Key")),
            Exhibit("RestrictedAuthorization", loose.restricted(to: "https://api.example.com", elsewhere: .use(loose))),
            Exhibit("OriginAuthorization", OriginAuthorization(["https://a.example": loose], elsewhere: .use(loose))),
            Exhibit("OtherOrigins", OtherOrigins.use(loose)),
            Exhibit(
                "ProvenRequest",
                ProvenRequest(
                    origin: "https://a.example", method: "GET", uri: "https://a.example/\(Secret.text)?\(Secret.text)",
                    proof: ["dpop": Secret.text])),
            Exhibit("ProofOutcome", ProofOutcome.ignored(SecretFault())),
            Exhibit("ProofOutcome", ProofOutcome.refused(SecretFault())),
        ]
    }

    /// A provider with a token, one whose session was ended by an error that prints too much, and a third party that
    /// follows them.
    private static func refreshable() async throws -> [Exhibit] {
        let failing = ScriptedTokenService<TestToken>(.failure(NotAuthorized(.rejected, underlying: LooseError())))
        let ended = RefreshableTokenAuthorization(
            service: failing, token: TestToken(Secret.text, expiresAt: .distantPast), clock: ManualClock())
        _ = try? await ended.validToken()
        var events = ended.events.makeAsyncIterator()
        await ended.refresh { throw LooseError() }
        let event = Exhibit("AuthorizationEvent", try #require(await events.next()))
        let stored = RefreshableTokenAuthorization(
            service: LooseService(), store: InMemoryTokenStore(.make(LooseToken())), clock: ManualClock())
        _ = try await stored.validToken()
        return following(RefreshableTokenAuthorization(service: LooseService(), token: LooseToken()))
            + following(ended) + following(stored) + [event]
    }

    private static func following<Token>(_ auth: RefreshableTokenAuthorization<Token>) -> [Exhibit] {
        let handler: @Sendable (TokenChange<Token>) async -> Void = { [key = Secret.text] _ in _ = key }
        let pool = AuthorizationPool { (_: String) in auth }
        _ = pool[Secret.text]
        return [
            Exhibit("AuthorizationPool", pool),
            Exhibit("RefreshableTokenAuthorization", auth),
            Exhibit("TokenObservation", auth.onTokenChange(handler)),
            Exhibit("TokenChanges", auth.tokenChanges),
            Exhibit("TokenChanges.AsyncIterator", auth.tokenChanges.makeAsyncIterator()),
            Exhibit("AuthorizationEvents", auth.events),
            Exhibit("AuthorizationEvents.AsyncIterator", auth.events.makeAsyncIterator()),
            Exhibit("AuthorizationStatus", AuthorizationStatus(following: auth)),
        ]
    }

    // MARK: - Values

    private static func tokens<Token: AuthorizationToken>(_ token: Token) -> [Exhibit] {
        let stored = StoredToken.make(token)
        return [
            Exhibit("StoredToken", stored),
            Exhibit("StoredToken.Content", StoredToken.Content.token(token)),
            Exhibit("TokenChange", TokenChange.tokenUpdated(token)),
            Exhibit("TokenChange", TokenChange<Token>.tokenInvalidated(notAuthorized)),
            Exhibit("SaveResult", SaveResult.refused(stored)),
            Exhibit("TokenWithIntent", TokenWithIntent(stored, intent: nil)),
            Exhibit("TokenStoreOperation", TokenStoreOperation.save(stored)),
            Exhibit("TokenStoreOperation", TokenStoreOperation.conditionalSave(stored, .anything, ending: nil)),
        ] + (token is LooseToken ? [] : [Exhibit("TestToken", token)])
    }

    private static var notAuthorized: NotAuthorized {
        NotAuthorized(.rejected, challenge: challenge, underlying: LooseError())
    }

    private static var challenge: AuthenticationChallenge {
        AuthenticationChallenge(scheme: "Negotiate", token68: Secret.text, parameters: ["nonce": Secret.text])
    }

    private static func errors() -> [Exhibit] {
        let refreshFailed = RefreshFailed(underlying: LooseError(), nextTryAt: .now, delivery: .notSent)
        var refused = refreshFailed
        refused.refusals = RefreshFailed.Refusals(count: 1, since: .now, status: 400, code: "of \(Secret.text)")
        return [
            Exhibit("NotSettled", NotSettled(isRefreshing: true, isUnstored: true, storeError: LooseError())),
            Exhibit("CircularProviders", CircularProviders(identities: [Secret.text, "b"])),
            Exhibit(
                "ProvidersNotSettled",
                ProvidersNotSettled(unsettled: [
                    Secret.text: NotSettled(isRefreshing: true, isUnstored: true, storeError: LooseError())
                ])),
            Exhibit("TokenStoreError", TokenStoreError(.failed, "no", underlying: LooseError())),
            Exhibit("ItemWithIntent", ItemWithIntent(Data(Secret.text.utf8), intent: Data(Secret.text.utf8))),
            Exhibit("SaveResult", SaveResult.refused(Data(Secret.text.utf8))),
            Exhibit("NotAuthorized", notAuthorized),
            Exhibit("NotAuthorized", NotAuthorized(.needsInteraction, challenge: challenge, underlying: refreshFailed)),
            Exhibit("RefreshFailed", refreshFailed),
            Exhibit("TokenTransportError", TokenTransportError(.other, delivery: .notSent, underlying: LooseError())),
            Exhibit("InvalidTokenResponse", InvalidTokenResponse(field: "of \(Secret.text)", problem: .malformed)),
            Exhibit("TokenEndpointError", TokenEndpointError(status: 400, code: "of \(Secret.text)")),
            Exhibit("RefreshFailed", refused),
        ]
    }

    private static func messages() -> [Exhibit] {
        let fields = [(name: "Authorization", value: Secret.text)]
        let url = URL(
            string: "https://\(Secret.text):\(Secret.text)@api.example.com/\(Secret.text)?code=\(Secret.text)")
        let challenges = ["Negotiate \(Secret.text)", "Digest nonce=\(Secret.text)"]
        return [
            Exhibit(
                "TokenRequest",
                TokenRequest(url: url ?? URL(filePath: "/"), fields: fields, body: Array(Secret.text.utf8))),
            Exhibit(
                "TokenResponse", TokenResponse(statusCode: 200, fields: fields, body: Array(Secret.text.utf8))),
            Exhibit(
                "JSONTokenEndpoint",
                JSONTokenEndpoint(
                    url ?? URL(filePath: "/"), transport: ScriptedTokenTransport(), headerFields: fields)),
            Exhibit("JSONTokenAnswer", JSONTokenAnswer(sentAt: .now, body: Secret.text)),
            Exhibit("AuthenticationChallenge", challenge),
            Exhibit(
                "UnauthorizedResponse",
                UnauthorizedResponse(fields: ["WWW-Authenticate": challenges, "Set-Cookie": [Secret.text]])),
            Exhibit("TestRequest", TestRequest(url?.absoluteString ?? "", fields: ["Authorization": Secret.text])),
            Exhibit("TestResponse", TestResponse(401, ["WWW-Authenticate": challenges[0]])),
        ]
    }

    // MARK: - Stores and doubles

    private static func stores<Token: AuthorizationToken & Hashable>(_ token: Token) -> [Exhibit] {
        let store = InMemoryTokenStore(.make(token))
        let shared = InMemorySharedTokenStore(.make(token))
        return [
            Exhibit("InMemoryTokenStore", store),
            Exhibit("InMemoryTokenStore", store.readOnly),
            Exhibit("InMemorySharedTokenStore", shared),
            Exhibit("ScriptedTokenStore", ScriptedTokenStore(store)),
            Exhibit("ScriptedTokenStore", ScriptedTokenStore(shared)),
            Exhibit("TokenStoreLock", TokenStoreLock { _ = token }),
            Exhibit("TokenStoreChecks", TokenStoreChecks(token: { _ in token }) { store }),
            Exhibit("SharedTokenStoreChecks", SharedTokenStoreChecks(token: { _ in token }) { (shared, shared) }),
        ]
    }

    private static func doubles() async throws -> [Exhibit] {
        let service = ScriptedTokenService<LooseToken>(.success(LooseToken()), forever: .success(LooseToken()))
        _ = try await service.refresh(LooseToken())
        await service.discard(LooseToken())
        let transport = ScriptedTransport<String, String>(.success(Secret.text), forever: .success(Secret.text))
        _ = try await transport.send(Secret.text)
        let checks = AuthorizationProviderChecks { LooseAuthorization() }
        let failed = await #expect(throws: ChecksFailed.self) {
            try await AuthorizationProviderChecks { ClosureAuthorization { throw LooseError() } }.run()
        }
        let failure = try #require(failed)
        return [
            Exhibit("ScriptedTokenService", service),
            Exhibit("ScriptedTransport", transport),
            Exhibit("ScriptedCall", try #require(service.history.first)),
            Exhibit("ScriptStep", ScriptStep<String, String>.success(Secret.text)),
            Exhibit("ScriptStep", ScriptStep<String, String>.failure(LooseError())),
            Exhibit("AuthorizationProviderChecks", checks),
            Exhibit("AuthorizationTokenChecks", AuthorizationTokenChecks(expired: LooseToken(), valid: LooseToken())),
            Exhibit("ChecksFailed", failure),
            Exhibit("ChecksFailed.Failure", try #require(failure.failures.first)),
        ]
    }
}

extension StoredToken {
    fileprivate static func make(_ token: Token) -> StoredToken {
        StoredToken(.token(token), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
    }
}

/// The text with which a user's proof may explain a fault.
private struct SecretFault: Error { let text = Secret.text }
