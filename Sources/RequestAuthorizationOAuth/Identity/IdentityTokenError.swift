// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An ID token does not say who signed in, or says that it was somebody else. Nobody is signed in by it.
///
/// After a sign-in an earlier session stays as it was.
public struct IdentityTokenError: AnsweredFailure, Hashable {
    package struct Problem: Hashable, Sendable, Labelled {
        package let label: String

        /// The answer has no ID token.
        package static let missing = Problem(label: "missing")
        /// It is not a JWT of three parts, its claims are damaged or there twice, or its header demands an extension.
        package static let malformed = Problem(label: "malformed")
        /// It is encrypted (five parts), which was not asked for.
        package static let encrypted = Problem(label: "encrypted")
        /// It is longer than 64 KiB.
        package static let tooLong = Problem(label: "longer than 64 KiB")
        /// A claim is missing or wrong; see ``IdentityTokenError/claim``.
        package static let claim = Problem(label: "not valid")
        /// The answer to a refresh is about another person, server or client than the sign-in. The session ends.
        package static let otherPerson = Problem(label: "of another person")
    }

    package let problem: Problem
    /// The claim, such as `nonce`; its value is not kept.
    package let claim: String?
    /// `terminal` if a refresh was answered for another person, server or client.
    public var kind: TokenFailureKind { problem == .otherPerson ? .terminal : .transient }

    package init(_ problem: Problem, claim: String? = nil) { (self.problem, self.claim) = (problem, claim) }
}

extension IdentityTokenError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "the ID token is \(problem)\(claim.map { " (\($0))" } ?? ""); \(advice)"
    }

    private var advice: String {
        switch (problem, claim) {
        case (.missing, _): "check that the server speaks OpenID Connect, and that the client may have the scope openid"
        case (.encrypted, _): "let the server send plain ID tokens to this client"
        case (.claim, "iss"): "use the issuer exactly as the server's ID tokens spell it"
        case (.claim, "aud"), (.claim, "azp"): "check the client's id, and name further audiences in trustedAudiences"
        case (.claim, "exp"), (.claim, "iat"): "check the clock of this machine, then sign in again"
        case (.claim, "acr"), (.claim, "auth_time"): "sign in again, as the request asked for"
        default: "sign in again, and ask the server's operator if it happens again"
        }
    }
}
