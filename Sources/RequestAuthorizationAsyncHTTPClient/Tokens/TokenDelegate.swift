// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// Collects the answer of a token endpoint up to a length, and stops the client from following redirects.
final class TokenDelegate: HTTPClientResponseDelegate {
    typealias Response = TokenResponse

    private struct Answer {
        var isSent = false
        var head: HTTPResponseHead?
        var body: [UInt8] = []
    }

    private let limit: Int
    private let answer = Lock(Answer())

    init(limit: Int) { self.limit = limit }

    /// Whether any part of the request was sent.
    var hasSent: Bool { answer.withLock { $0.isSent } }

    func didSendRequestHead(task: HTTPClient.Task<TokenResponse>, _ head: HTTPRequestHead) {
        answer.withLock { $0.isSent = true }
    }

    /// Fails the task of a redirect before the client follows it: the client does not go on with a failed task.
    func didVisitURL(task: HTTPClient.Task<TokenResponse>, _ request: HTTPClient.Request, _ head: HTTPResponseHead) {
        guard (300..<400).contains(head.status.code), head.headers.contains(name: "Location") else { return }
        task.fail(reason: RedirectAnswer(head: head))
    }

    func didReceiveHead(task: HTTPClient.Task<TokenResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        answer.withLock { $0.head = head }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<TokenResponse>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let isTooLong = answer.withLock { answer in
            guard answer.body.count + part.readableBytes <= limit else { return true }
            answer.body += part.readableBytesView
            return false
        }
        guard isTooLong else { return task.eventLoop.makeSucceededVoidFuture() }
        return task.eventLoop.makeFailedFuture(TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed))
    }

    func didFinishRequest(task: HTTPClient.Task<TokenResponse>) throws -> TokenResponse {
        let (head, body) = answer.withLock { ($0.head, $0.body) }
        guard let head else { throw HTTPClientError.remoteConnectionClosed }
        return TokenResponse(head, body: body)
    }
}

/// The error that ends a task whose answer is a redirect.
struct RedirectAnswer: Error {
    let head: HTTPResponseHead
}
#endif
