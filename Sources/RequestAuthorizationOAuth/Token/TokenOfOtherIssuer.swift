// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token was issued by another authorization server than the one that the service is set up for. Nothing was sent.
///
/// It happens if the program was set up for another server, and the store still has the session of the former one. The
/// stored token is kept until a sign-in replaces it, so nothing is lost if the set-up was wrong. Requests throw a
/// `NotAuthorized` with the reason `needsInteraction`, whose `underlying` error this is:
///
///     catch let error as NotAuthorized where error.needsSignIn { showLogIn() }
///
/// If the server is the same under a new name, list the old one in ``AuthorizationServer/formerIssuers``. A service
/// that needs no user, such as for client credentials, fetches a token of its own and replaces the other one at once.
public struct TokenOfOtherIssuer: UnsentFailure, Hashable {
    /// The server that issued the token.
    package let issuer: TokenIssuer
    /// The server that the service is set up for.
    package let expected: TokenIssuer
    public var kind: TokenFailureKind { .interaction }

    package init(issuer: TokenIssuer, expected: TokenIssuer) { (self.issuer, self.expected) = (issuer, expected) }
}

extension TokenOfOtherIssuer: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "the token was issued by \(shown(issuer)), and the program is set up for \(shown(expected)), which never gets "
            + "it; sign in there (a stored token is kept until then), or, if it is the same server under a new name, "
            + "list the old one in formerIssuers"
    }

    /// What was compared: the names if both are known, else the origins.
    private func shown(_ one: TokenIssuer) -> String {
        issuer.name != nil && expected.name != nil ? "\(one)" : "\(TokenIssuer(name: nil, origin: one.origin))"
    }
}

extension TokenOfOtherIssuer {
    /// The error for the callers of a provider: it says all, and keeps the session.
    var inSession: NotAuthorized { NotAuthorized(.needsInteraction, detail: description, underlying: self) }
}
