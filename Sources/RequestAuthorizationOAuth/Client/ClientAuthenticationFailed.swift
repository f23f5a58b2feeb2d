// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A ``ClientAuthenticator`` made no proof, so nothing was sent. The session is kept, and the next slot tries again.
public struct ClientAuthenticationFailed: TokenServiceFailure {
    /// The error of the authenticator, or the fault of its proof. The description does not contain it.
    public let underlying: any Error
    public var kind: TokenFailureKind { .transient }
    public var delivery: TokenRequestDelivery { .notSent }

    public init(underlying: any Error) { self.underlying = underlying }

    /// Returns an error that keeps the session: the authorization server has not seen the token.
    ///
    /// A cancellation is returned unchanged, and so is a failure that keeps sessions by itself. A `NotAuthorized` and
    /// the refusals of another token endpoint, which the authenticator may have asked, are wrapped.
    static func keepingSession(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case let failure as any TokenServiceFailure where ![.terminal, .noRefreshToken].contains(failure.kind): failure
        default: ClientAuthenticationFailed(underlying: error)
        }
    }
}

extension ClientAuthenticationFailed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "nothing was sent: the client could not be authenticated (\(type(of: underlying))); check its key and its "
            + "authenticator; the session is kept"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
