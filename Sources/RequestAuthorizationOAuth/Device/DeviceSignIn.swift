// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A sign-in on another device that has begun: show its ``instructions``, then wait for the ``token()``.
///
/// With a link or a QR code of ``verificationURIComplete``, still show the code *and* the host (RFC 8628 §3.3.1). The
/// user has nothing else to compare.
public struct DeviceSignIn: Sendable, RedactedDescription {
    /// The code that the user enters, without control characters.
    public let userCode: String
    /// The page to open on the other device: `https`, or `http` on loopback.
    public let verificationURI: URL
    /// The same page with the code in it, for a QR code; `nil` if the server gave none of the same origin.
    public let verificationURIComplete: URL?
    /// When the code expires.
    public let expiresAt: Date

    let deviceCode: String
    let scopes: Set<String>
    let endpoint: TokenEndpoint
    /// The key that the token will be bound to, if it is bound to one.
    let proofKey: ProofKey?
    let identity: IdentityRequest?
    let polling: DevicePolling
    /// Whether polling has begun: two callers would poll twice as often as the server allows.
    let hasBegun = Lock(false)

    /// The host of the page, as in DNS.
    package var host: String { Origin(verificationURI)?.host ?? "" }

    /// Instructions for the user, in English, safe to print on a terminal.
    public var instructions: String {
        let page = TerminalText.clean(verificationURI.absoluteString)
        return "On any device, open \(page) (\(host)) and enter the code \(userCode). "
            + "Do so only if you began this yourself, here and now."
    }

    /// Polls the server until the user has allowed access, and returns the token.
    ///
    /// It can be called once. Cancelling the task ends it at once, and a token that comes after that is revoked.
    ///
    /// Time-outs, lost connections, temporary failures of the server, pages of a captive portal and failures of the
    /// client's authenticator do not end it. The server is polled less often from then on, until the code expires.
    ///
    /// - Throws: ``SignInError`` if the user denied access or the code expired; `TokenEndpointError` for any other
    ///   error of the server; `InvalidTokenResponse` for an unusable token, ``IdentityTokenError`` for an unusable ID
    ///   token; errors of the transport; `CancellationError`.
    public func token() async throws -> OAuthToken {
        for try await step in progress {
            if case .authorized(let token) = step { return token }
        }
        throw SignInError(.expired)
    }

    /// Polls step by step: the first step is the time of the first wait, and the last step has the token.
    ///
    ///     for try await step in device.progress {
    ///         if case .authorized(let token) = step { … }
    ///     }
    ///
    /// It can be iterated once, and polls only during the iteration. It throws as ``token()`` does.
    public var progress: some AsyncSequence<DeviceSignInStep, any Error> & Sendable {
        DeviceSignInProgress(signIn: self)
    }
}
