// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A sign-in on another device that has begun: show its ``instructions``, then wait for the ``token()``.
///
/// Show the code *and* the host also where you show a link or a QR code of ``verificationURIComplete`` (RFC 8628 §3.3.1): it is all that
/// a person can compare.
public struct DeviceSignIn: Sendable, RedactedDescription {
    /// What the person types there, without control characters.
    public let userCode: String
    /// The page to open on the other device: `https`, or `http` on this machine.
    public let verificationURI: URL
    /// The same page with the code in it, for a QR code; `nil` if the server has none on that host.
    public let verificationURIComplete: URL?
    /// From when on the code is of no use.
    public let expiresAt: Date

    let deviceCode: String
    let scopes: Set<String>
    let endpoint: TokenEndpoint
    let polling: DevicePolling
    /// Whether somebody waits already: two who ask would ask twice as often as the server allows.
    let hasBegun = Lock(false)

    init(
        _ authorization: DeviceAuthorization, scopes: Set<String>, endpoint: TokenEndpoint, expiresAt: Date,
        polling: DevicePolling
    ) {
        userCode = authorization.userCode
        verificationURI = authorization.verificationURI
        verificationURIComplete = authorization.verificationURIComplete
        deviceCode = authorization.deviceCode
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.endpoint = endpoint
        self.polling = polling
    }

    /// The host of the page, as it stands in DNS.
    public var host: String { Origin(verificationURI)?.host ?? "" }

    /// What to tell the person, in English, safe to print on a terminal.
    public var instructions: String {
        let page = TerminalText.clean(verificationURI.absoluteString)
        return "On any device, open \(page) (\(host)) and enter the code \(userCode). "
            + "Do so only if you began this yourself, here and now."
    }

    /// Waits until the person has agreed.
    ///
    /// It serves once. Cancelling the task ends it at once.
    ///
    /// Time-outs, lost connections, a server that has trouble and pages of something on the way are no end: the server is asked
    /// less often from then on, until the code ends.
    ///
    /// - Throws: ``SignInError`` when the person said no or the code ended; `TokenEndpointError` for any other error of the server;
    ///   `InvalidTokenResponse` for a token that cannot be used; what else the transport throws; `CancellationError`.
    public func token() async throws -> OAuthToken {
        for try await step in progress {
            if case .authorized(let token) = step { return token }
        }
        throw SignInError(.expired)
    }

    /// Waits step by step, beginning with how long the first wait is; the last step has the token.
    ///
    ///     for try await step in device.progress {
    ///         if case .authorized(let token) = step { … }
    ///     }
    ///
    /// It serves once, and asks the server only while somebody iterates. It throws as ``token()`` does.
    public var progress: DeviceSignInProgress { DeviceSignInProgress(signIn: self) }
}
