// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
extension AuthorizationEvent {
    /// The log level: events that need no attention are `debug` or `trace`.
    var level: Logger.Level {
        switch kind {
        case .tokenInstalled: .trace
        case .refreshFailed: needsAction ? .error : .warning
        case .saveFailed, .clearFailed, .refreshedTooOften: .error
        case .tokenExpiredOnArrival, .proofAnswerIgnored, .revocationRefused: .warning
        case .sessionEnded: (error as? NotAuthorized)?.reason == .signedOut ? .info : .warning
        case .signInNeeded: .notice
        default: .debug
        }
    }

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        metadata["authorization.cause"] = cause.map { "\($0)" }
        metadata["authorization.outcome"] = outcome.map { "\($0)" }
        metadata["authorization.duration_seconds"] = duration.map { "\($0.inMilliseconds)" }
        metadata["authorization.expires_in_seconds"] = expiresIn.map { "\($0.inMilliseconds)" }
        metadata["authorization.requests"] = count.map { "\($0)" }
        metadata["authorization.next_try_at"] = nextTryAt.map { "\($0)" }
        metadata["authorization.sign_in_needed_before"] = signInNeededBefore.map { "\($0)" }
        metadata["error.type"] = error.map { "\(errorType(of: $0))" }
        metadata["error.message"] = error.flatMap(message).map { "\($0)" }
        return metadata
    }

    /// Whether another try cannot succeed, so that an operator or a user has to act.
    private var needsAction: Bool {
        switch error {
        case let error as any TokenServiceFailure: error.kind != .transient
        case is NotAuthorized: true
        default: false
        }
    }

    /// The description of an error whose type belongs to this package and holds no secret; else `nil`.
    private func message(of error: any Error) -> String? {
        switch error {
        case is NotAuthorized, is RefreshFailed, is TokenEndpointError, is TokenTransportError, is DeadlineExceeded,
            is TokenExpiredOnArrival, is TokenStoreError:
            "\(error)"
        default: nil
        }
    }
}

extension Duration {
    /// Seconds with three digits.
    fileprivate var inMilliseconds: Double { (self / .milliseconds(1)).rounded() / 1_000 }
}

/// The value of OpenTelemetry's `error.type`: an HTTP status, a `NotAuthorized` reason, or the type's name.
///
/// The error's description is left out because it may hold a secret.
func errorType(of error: any Error) -> String {
    switch error {
    case let error as TokenEndpointError: "\(error.status)"
    case let error as NotAuthorized: "\(error.reason)".replacing(" ", with: "_")
    case let error as RefreshFailed: errorType(of: error.underlying)
    default: "\(type(of: error))"
    }
}
#endif
