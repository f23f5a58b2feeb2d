// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A ``ClientAuthenticator`` made no proof, so that nothing was sent. The session goes on, and the next slot tries again.
public struct ClientAuthenticationFailed: TokenServiceFailure {
    /// What the authenticator threw, or what is wrong with its proof; not printed here.
    public let underlying: any Error
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(underlying: any Error) { self.underlying = underlying }
}

extension ClientAuthenticationFailed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "the client could not prove itself (\(type(of: underlying))), and nothing was sent; check its key, and what makes its "
            + "proof; the session is kept"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
