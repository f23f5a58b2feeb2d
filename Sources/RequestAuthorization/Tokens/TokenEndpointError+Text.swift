// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension TokenEndpointError: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(answer): \(meaning)" }

    /// The endpoint, the status and the code in words.
    var answer: String {
        "\(purpose.endpoint) answered \(status)" + (code == nil ? "" : " (\(printableCode ?? "…"))")
    }

    /// The text for a provider, which has a session.
    var descriptionInSession: String {
        purpose == .refresh ? description : "\(description); the session is kept"
    }

    /// What the answer means and what to do. Only of a refresh it is known that there is a session.
    private var meaning: String {
        switch kind {
        case .terminal: purpose.advice.terminal
        case .client: "\(clientMeaning)\(purpose == .refresh ? "; the session is kept" : "")"
        case .interaction where purpose == .refresh:
            "the server wants the user to sign in again; the session is kept"
        case .interaction where purpose == .identityAssertion: purpose.advice.terminal
        case .interaction: "the server wants the user to sign in"
        case .noRefreshToken: "there is no refresh token; sign in again when the token has expired"
        case .transient where isEndpointMissing && purpose != .revocation:
            "the address seems to be wrong; check it, or discover the server again"
                + (purpose == .refresh ? "; the session is kept" : "")
        case .transient where purpose == .refresh: "the session is kept; try again later"
        case .transient: isRefusal ? "\(purpose.advice.refused), or try again later" : purpose.advice.later
        }
    }

    private var clientMeaning: String {
        switch code {
        case "invalid_client": "the client id or secret is wrong"
        case "unauthorized_client" where purpose.isOfGrant: "the client is not registered for this grant type"
        case "unsupported_grant_type" where purpose.isOfGrant: "the server does not offer this grant type"
        case "invalid_scope": "the client asks for a scope that it may not have"
        case "invalid_target": "the client asks for a token for a resource that it may not use"
        default: purpose.advice.client
        }
    }
}

extension TokenRequestPurpose {
    fileprivate var isOfGrant: Bool { endpoint == Self.token.endpoint }

    /// What to do after each kind of failure at the endpoint.
    fileprivate struct Advice {
        var terminal = "the grant or refresh token is no longer valid; sign in again"
        var client = "the server refuses the client; check how it is registered"
        var refused = "the request was refused; check what was sent"
        var later = "try again later"
    }

    fileprivate var advice: Advice {
        switch self {
        case .code:
            Advice(
                terminal: "the code is no longer valid, or is that of another client or redirect URI; sign in again",
                refused: "the code was refused; check the client and its redirect URI, then sign in again",
                later: "sign in again later")
        case .deviceCode:
            Advice(
                terminal: "the device code is no longer valid; sign in again",
                refused: "the device code was refused; sign in again", later: "sign in again later")
        case .pushedRequest:
            Advice(
                terminal: "the sign-in was refused; check the client, its redirect URI and its scopes",
                refused: "the sign-in was refused; check the client, its redirect URI and its scopes",
                later: "sign in again later")
        case .identityAssertion:
            Advice(
                terminal: "the log-in there is no longer valid; sign in there again",
                client: "the identity provider refuses the client; check how it is registered there",
                refused: "the identity provider made no assertion; check its policy")
        case .deviceAuthorization:
            Advice(
                terminal: "the sign-in was refused; check the client and its scopes",
                refused: "the sign-in was refused; check that the client may sign in on another device, and its scopes",
                later: "sign in again later")
        case .revocation:
            Advice(
                terminal: "the token is no longer valid",
                client: "the server does not revoke the token; end the client's access at the server",
                refused: "the token was not revoked; end the client's access at the server",
                later: "the token is not revoked; sign out again later")
        case .introspection:
            Advice(
                terminal: "the server refuses the resource server; check how that authenticates",
                client: "the server refuses the resource server; check how that is registered",
                refused: "the token was not checked; check how the resource server authenticates",
                later: "the token was not checked; try again later")
        default: Advice()
        }
    }
}
