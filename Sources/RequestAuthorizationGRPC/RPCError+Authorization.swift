// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
extension RPCError {
    /// The error of a call that has no credential; `nil` for errors of other kinds.
    ///
    /// - Parameter refusal: the answer to an attempt that was made; `nil` if the call was not made.
    init?(withoutCredential error: any Error, after refusal: RPCError? = nil) {
        let (code, reason): (Code, String)
        switch error {
        case is NotAuthorized: (code, reason) = (.unauthenticated, "there is no credential; see the cause")
        case is RefreshFailed: (code, reason) = (.unavailable, "the refresh failed for now; try again later")
        case is CancellationError: (code, reason) = (.cancelled, "it was cancelled while waiting for a credential")
        default: return nil
        }
        let made = refusal == nil ? "the call was not made" : "the call was refused, and is not made again"
        self.init(code: code, message: "\(made): \(reason)", metadata: refusal?.metadata ?? [:], cause: error)
        // The next attempt would be bound to nobody, though the refused one was sent as somebody.
        if code == .unauthenticated || refusal != nil { self = pushingBack("-1") }
    }

    /// The number of attempts before the refused one, which gRPC adds to the answer's metadata (gRFC A6).
    var formerAttempts: Int {
        metadata[stringValues: "grpc-previous-rpc-attempts"].first { _ in true }.map { Int($0) ?? .max } ?? 0
    }

    /// Whether the server itself forbids a retry: by a negative number, or by none (gRFC A6).
    var forbidsRetry: Bool {
        metadata[stringValues: "grpc-retry-pushback-ms"].first { _ in true }.map { (Int64($0) ?? -1) < 0 } ?? false
    }

    /// Tells gRPC's retry policy when to retry. A server's own time is kept, unless there is to be no retry.
    ///
    /// - Parameter milliseconds: the delay; a negative number means "do not retry" (gRFC A6).
    func pushingBack(_ milliseconds: String) -> RPCError {
        let hasPushback = metadata["grpc-retry-pushback-ms"].contains { _ in true }
        if hasPushback, !milliseconds.hasPrefix("-") { return self }
        var error = self
        error.metadata.replaceOrAddString(milliseconds, forKey: "grpc-retry-pushback-ms")
        return error
    }
}

/// The metadata of an answer as an HTTP response. Many servers send HTTP's challenge fields as metadata.
struct AnswerMetadata: AuthorizableResponse {
    let metadata: Metadata
    /// 401 for the refusal of a credential.
    var statusCode = 200

    func headerValues(for field: String) -> [String] { Array(metadata[stringValues: field]) }
}
#endif
