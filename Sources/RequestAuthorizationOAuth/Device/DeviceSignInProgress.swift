// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A step of a sign-in on another device.
public enum DeviceSignInStep: Sendable, Hashable {
    /// The user has not allowed access yet. The next poll follows after this time.
    case waiting(Duration)
    /// The server asked for fewer polls. From now on there is this time between them.
    case slowedDown(Duration)
    /// The server could not be reached, failed temporarily, or a captive portal answered; or the client's authenticator
    /// failed. The server is polled less often now.
    case unanswered(Duration)
    /// The user allowed access: the last step.
    case authorized(OAuthToken)
}

/// The steps of a sign-in on another device.
struct DeviceSignInProgress: AsyncSequence, Sendable, RedactedDescription {
    let signIn: DeviceSignIn

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(signIn: signIn, polling: signIn.polling) }

    /// Polls the server, for one task.
    struct AsyncIterator: AsyncIteratorProtocol, RedactedDescription {
        let signIn: DeviceSignIn
        var polling: DevicePolling
        private var state = State.fresh
        /// Why the last poll was not answered. The text of another library's error may hold a secret.
        private var trouble: String?

        private enum State { case fresh, waiting, ended }

        init(signIn: DeviceSignIn, polling: DevicePolling) { (self.signIn, self.polling) = (signIn, polling) }

        mutating func next() async throws -> DeviceSignInStep? {
            let former = state
            guard former != .ended else { return nil }
            state = .ended  // It stays so after an error and after the last step.
            guard former == .waiting || !signIn.hasBegun.exchange(true) else { throw SignInError(.alreadyUsed) }
            let next = if former == .fresh { DeviceSignInStep.waiting(polling.pause) } else { try await step() }
            if case .authorized = next { return next }
            state = .waiting
            return next
        }

        private mutating func step() async throws -> DeviceSignInStep {
            let clock = signIn.endpoint.clock
            // RFC 8628 §3.5: at least the interval before each poll, including the first, and no poll after the end.
            if let pause = polling.pause(at: clock.uptime) { try await clock.sleep(for: pause) }
            guard polling.pause(at: clock.uptime) != nil else {
                throw SignInError(
                    .expired, detail: trouble.map { "sign in again; the last request to the server failed: \($0)" })
            }
            do {
                return .authorized(try await signIn.poll())
            } catch {
                guard let outcome = DevicePolling.outcome(of: error) else { throw DeviceSignIn.end(of: error) }
                let cause = (error as? any OwnDescription)?.ownDescription ?? "\(type(of: error))"
                trouble = outcome == .unanswered ? cause : nil
                polling.react(to: outcome, retryAfter: (error as? any TokenServiceFailure)?.retryAfter)
                return switch outcome {
                case .pending: .waiting(polling.pause)
                case .slowDown: .slowedDown(polling.pause)
                case .unanswered: .unanswered(polling.pause)
                }
            }
        }
    }
}

extension DeviceSignIn {
    /// Asks for the token (RFC 8628 §3.4).
    fileprivate func poll() async throws -> OAuthToken {
        let url = try endpoint.server.endpoint(endpoint.server.tokenEndpoint, named: "token_endpoint")
        return try await endpoint.signInToken(
            "urn:ietf:params:oauth:grant-type:device_code", [("device_code", deviceCode)], at: url,
            requestedScopes: scopes, boundTo: proofKey, identity: identity)
    }

    /// Converts the errors of RFC 8628 §3.5 that have a kind of their own.
    fileprivate static func end(of error: any Error) -> any Error {
        let code = (error as? TokenEndpointError)?.code
        return switch code {
        // Microsoft has a word of its own for a denial.
        case "access_denied", "authorization_declined": SignInError(.denied, code: code)
        case "expired_token": SignInError(.expired, code: code)
        default: error
        }
    }
}
