// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The body of a request: in the request itself, in memory, or in a file.
enum RequestBody: Sendable {
    case ofRequest
    case data(Data)
    case file(URL)

    func isReplayable(with request: URLRequest) -> Bool {
        guard case .ofRequest = self else { return true }
        return request.isReplayable
    }

    func isPresent(with request: URLRequest) -> Bool {
        guard case .ofRequest = self else { return true }
        return request.httpBodyStream != nil || request.httpBody?.isEmpty == false
    }

    /// The request that a provider sees; it includes the body, which the provider may sign.
    func shown(on request: URLRequest) -> URLRequest {
        var request = request
        switch self {
        case .ofRequest: break
        case .data(let data): request.httpBody = data
        case .file(let file): request.httpBodyStream = InputStream(url: file) ?? InputStream(data: Data())
        }
        return request
    }

    /// Whether the request must not go over a connection that was used before.
    ///
    /// When such a connection drops without an answer, libcurl sends the request again on a new one. Of a request
    /// with a body it sends only the head, and then waits for the time-out. A request without a body is sent whole,
    /// which is harmless only for idempotent methods (RFC 9110 §9.2.2). Apple's `URLSession` decides this itself.
    func needsOwnConnection(with request: URLRequest, _ use: ConnectionUse) -> Bool {
        #if canImport(FoundationNetworking)
        let isIdempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.httpMethod ?? "GET")
        if isIdempotent, !isPresent(with: request) { return false }
        let mayBeRepeated = use.mayBeRepeated || request.value(forHTTPHeaderField: "Idempotency-Key") != nil
        return !mayBeRepeated || !isReplayable(with: request)
        #else
        return false
        #endif
    }
}
