// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
import GRPCCore
import RequestAuthorization

extension RPCError {
    /// What to say of a call that was not made; `nil` for errors that mean nothing to us.
    init?(withoutCredential error: any Error) {
        switch error {
        case is NotAuthorized:
            self.init(code: .unauthenticated, message: "no credential for the call", cause: error)
            self = pushingBack("-1")
        case is RefreshFailed:
            self.init(code: .unavailable, message: "no credential for the call at this time", cause: error)
        case is CancellationError:
            self.init(code: .cancelled, message: "cancelled while waiting for a credential", cause: error)
        default:
            return nil
        }
    }

    /// Whether gRPC had made the call before; it notes that in what the server answered.
    var isOfRetry: Bool { metadata["grpc-previous-rpc-attempts"].contains { _ in true } }

    /// Tells gRPC's retry policy when to make the call again, unless the server has said so itself.
    ///
    /// - Parameter milliseconds: negative for "not at all" (gRFC A6).
    func pushingBack(_ milliseconds: String) -> RPCError {
        guard !metadata["grpc-retry-pushback-ms"].contains(where: { _ in true }) else { return self }
        var error = self
        error.metadata.addString(milliseconds, forKey: "grpc-retry-pushback-ms")
        return error
    }

    /// The same with the reason why the call is not made again.
    func caused(by cause: any Error) -> RPCError {
        RPCError(code: code, message: message, metadata: metadata, cause: cause)
    }

    /// The same as an answer of HTTP, whose challenges many servers send along.
    var unauthorizedResponse: UnauthorizedResponse {
        UnauthorizedResponse(statusCode: 401, fields: ["WWW-Authenticate", "Retry-After", "DPoP-Nonce", "Date"]) {
            Array(metadata[stringValues: $0])
        }
    }
}

/// What comes with an answer that is no refusal, as an answer of HTTP.
struct AnswerMetadata: AuthorizableResponse {
    let metadata: Metadata

    var statusCode: Int { 200 }

    func headerValues(for field: String) -> [String] { Array(metadata[stringValues: field]) }
}
#endif
