// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Collects the answer of a token endpoint up to a length, and refuses redirects and a 401's challenge.
final class TokenDelegate: NSObject, URLSessionDataDelegate {
    private let flight: TaskFlight<[UInt8]>
    private let limit: Int
    private let sessionDelegate: (any URLSessionDelegate)?
    private let delegateQueue: OperationQueue
    private let answer = Lock(Answer())

    private struct Answer {
        var body: [UInt8] = []
        var isChallenged = false
    }

    /// - Parameter session: the user's session, whose delegate answers challenges on Apple's platforms.
    init(flight: TaskFlight<[UInt8]>, limit: Int, for session: URLSession) {
        (self.flight, self.limit) = (flight, limit)
        (sessionDelegate, delegateQueue) = (session.delegate, session.delegateQueue)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        flight.answer { completionHandler(nil) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = answer.withLock { answer in
            guard answer.body.count + data.count <= limit else { return true }
            answer.body += data
            return false
        }
        guard isTooLong else { return }
        flight.abort(with: TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (body, isChallenged) = answer.withLock { ($0.body, $0.isChallenged) }
        if let response = task.response, error == nil || isChallenged {
            flight.land(.success((body, response)))
        } else {
            flight.land(.failure(error ?? URLError(.badServerResponse)))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // The whole body arrives before the challenge. The task then ends as cancelled.
        answer.withLock { $0.isChallenged = true }
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        guard !challenge.isUnauthorized else { return completionHandler(.rejectProtectionSpace, nil) }
        guard let sessionDelegate else { return completionHandler(.performDefaultHandling, nil) }
        let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        // A delegate of the main actor ends the program on another queue than its own.
        delegateQueue.addOperation { [flight] in
            challenge.answer(by: sessionDelegate, in: session, of: task) { disposition, credential in
                // The task would end as cancelled, which does not tell that nothing was sent.
                let isRefused = isTrust && disposition == .cancelAuthenticationChallenge
                if isRefused { flight.abort(with: URLError(.serverCertificateUntrusted)) }
                completionHandler(disposition, credential)
            }
        }
        #endif
    }
}
