// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
import RequestAuthorization

/// What OpenTelemetry calls `error.type`: the status of an answer, the reason of ours, or else the name of the type. What an error
/// says of itself may hold a secret.
func errorType(of error: any Error) -> String {
    switch error {
    case let error as TokenEndpointError: "\(error.status)"
    case let error as NotAuthorized: "\(error.reason)".replacing(" ", with: "_")
    case let error as RefreshFailed: errorType(of: error.underlying)
    default: "\(type(of: error))"
    }
}
#endif
