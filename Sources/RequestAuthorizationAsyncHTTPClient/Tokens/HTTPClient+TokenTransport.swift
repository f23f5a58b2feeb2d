// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// Sends token requests through async-http-client: `transport: HTTPClient.shared`.
///
/// The client's settings (TLS, proxy, connections) apply, except for redirects: a redirect is never followed.
extension HTTPClient: TokenTransport {
    /// Sends a request once and returns the response, whatever its status. A redirect is returned with an empty body.
    ///
    /// - Throws: `TokenTransportError`; `CancellationError` at once when the task is cancelled.
    public func send(_ request: TokenRequest) async throws -> TokenResponse {
        try _Concurrency.Task.checkCancellation()  // The client would send it over an idle connection.
        let delegate = TokenDelegate(limit: request.maximumResponseLength)
        do {
            // The delegate runs on the event loop that sends the head, so that it notes that before any error.
            let task = execute(
                request: try HTTPClient.Request(request), delegate: delegate,
                eventLoop: .delegateAndChannel(on: eventLoopGroup.any()), deadline: .now() + .init(request.timeout))
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.fail(reason: CancellationError())
            }
        } catch let redirect as RedirectAnswer {
            return TokenResponse(redirect.head, body: [])
        } catch let error where !(error is TokenTransportError || error is CancellationError) {
            throw TokenTransportError(error, isSent: delegate.hasSent)
        }
    }
}

extension HTTPClient.Request {
    fileprivate init(_ request: TokenRequest) throws {
        var headers = HTTPHeaders()
        for (name, value) in request.fields {
            // The client's own error would contain the value.
            guard name.isHeaderFieldName, value.fitsInHeaderLine else {
                let fault = "a header field has an empty name, or a character that is not allowed in its name or value"
                throw TokenTransportError(
                    .other, delivery: .notSent, underlying: NotAuthorized(.malformedCredential, detail: fault))
            }
            headers.add(name: name, value: value)
        }
        try self.init(
            url: request.url, method: HTTPMethod(rawValue: request.method), headers: headers,
            body: request.body.isEmpty ? nil : .byteBuffer(ByteBuffer(bytes: request.body)))
    }
}

extension TokenResponse {
    init(_ head: HTTPResponseHead, body: [UInt8]) {
        self.init(
            statusCode: Int(head.status.code), fields: head.headers.map { (name: $0.name, value: $0.value) }, body: body
        )
    }
}
#endif
