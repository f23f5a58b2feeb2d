// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import RequestAuthorization

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
