// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hears of redirects and challenges of one task, and passes on to the session's delegate what is not ours.
///
/// Every redirect is refused, so that the 3xx comes back as the answer; what follows it is sent as a task of its own.
/// Left to itself, swift-corelibs-foundation takes credentials along to any host and loses the body.
final class HopDelegate: NSObject, URLSessionTaskDelegate {
    private let rule: RedirectRule
    private let request: URLRequest
    private let body: RequestBody
    /// The user's session, which on Linux is not always the one that carries the task.
    private let session: URLSession
    private let seen = Lock(Seen())

    private struct Seen {
        var redirection: Redirection?
        var isChallenged = false
        var answer: @Sendable (() -> Void) -> Void = { $0() }
    }

    init(rule: RedirectRule, request: URLRequest, body: RequestBody, session: URLSession) {
        self.rule = rule
        self.request = request
        self.body = body
        self.session = session
    }

    private var sessionDelegate: (any URLSessionTaskDelegate)? { session.delegate as? any URLSessionTaskDelegate }

    /// Where to go on; `nil` if the response is the answer.
    var redirection: Redirection? { seen.withLock { $0.redirection } }

    /// Has redirects answered by a function that does so only while the task is not being cancelled.
    func answer(by answer: @escaping @Sendable (() -> Void) -> Void) { seen.withLock { $0.answer = answer } }

    /// Whether `URLSession` asked for a credential of its own.
    var isChallenged: Bool { seen.withLock { $0.isChallenged } }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let redirection = rule.redirection(
            after: response, to: request, hasBody: body.isPresent(with: request),
            hasReplayableBody: body.isReplayable(with: request))
        let answer = seen.withLock { $0.answer }
        guard let redirection else { return answer { completionHandler(nil) } }
        askSessionDelegate(task, response, redirection) { redirection in
            self.seen.withLock { $0.redirection = redirection }
            answer { completionHandler(nil) }
        }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.isUnauthorized else {
            return forward(challenge, of: task, completionHandler: completionHandler)
        }
        seen.withLock { $0.isChallenged = true }
        #if canImport(FoundationNetworking)
        // The task then ends as cancelled; `.rejectProtectionSpace` does the same, and the default hangs for ever. Not from
        // here: the thread is the one that cancelling waits for.
        DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
        // The task then ends with the 401.
        completionHandler(.rejectProtectionSpace, nil)
        #endif
    }
}

extension HopDelegate {
    /// Lets the session's delegate change or refuse a redirect; what it asks for is held to the same rule.
    private func askSessionDelegate(
        _ task: URLSessionTask, _ response: HTTPURLResponse, _ redirection: Redirection,
        then proceed: @escaping @Sendable (Redirection?) -> Void
    ) {
        let (rule, source) = (rule, request.url)
        let decide: @Sendable (URLRequest?) -> Void = { request in
            guard let request, let source else { return proceed(nil) }
            var redirection = redirection
            redirection.request = request
            proceed(rule.admitted(redirection, from: source))
        }
        #if canImport(FoundationNetworking)
        guard let sessionDelegate else { return proceed(redirection) }
        session.delegateQueue.addOperation { [session] in
            sessionDelegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: redirection.request,
                completionHandler: decide)
        }
        #else
        let isAsked: Void? = sessionDelegate?.urlSession?(
            session, task: task, willPerformHTTPRedirection: response, newRequest: redirection.request,
            completionHandler: decide)
        if isAsked == nil { proceed(redirection) }
        #endif
    }

    private func forward(
        _ challenge: URLAuthenticationChallenge, of task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        guard let sessionDelegate else {
            return DispatchQueue.global().async { completionHandler(.performDefaultHandling, nil) }
        }
        session.delegateQueue.addOperation { [session] in
            sessionDelegate.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
        }
        #else
        let isAsked: Void? = sessionDelegate?.urlSession?(
            session, task: task, didReceive: challenge, completionHandler: completionHandler)
        if isAsked == nil { completionHandler(.performDefaultHandling, nil) }
        #endif
    }

    #if canImport(FoundationNetworking)
    // Elsewhere the system itself turns to the session's delegate for what a task's delegate does not implement.
    func urlSession(
        _: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let sessionDelegate else { return completionHandler(nil) }
        session.delegateQueue.addOperation { [session] in
            sessionDelegate.urlSession(session, task: task, needNewBodyStream: completionHandler)
        }
    }
    #endif
}

extension URLAuthenticationChallenge {
    /// Whether it is the 401 of a resource, and not the certificate of a server or the 407 of a proxy.
    var isUnauthorized: Bool {
        (failureResponse as? HTTPURLResponse)?.statusCode == 401 && !protectionSpace.isProxy()
    }
}
