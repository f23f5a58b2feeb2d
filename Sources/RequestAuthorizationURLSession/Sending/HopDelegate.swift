// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Handles redirects and challenges of one task, and forwards all other questions to the session's delegate.
///
/// Every redirect is refused, so that the 3xx is the answer, and the request that follows it is a new task. If
/// swift-corelibs-foundation followed redirects, it would send credentials to any host and lose the body.
final class HopDelegate: NSObject, URLSessionTaskDelegate {
    let rule: RedirectRule
    private let request: URLRequest
    private let body: RequestBody
    /// The user's session. On Linux another session carries the task.
    private let session: URLSession
    private let seen = Lock(Seen())

    private struct Seen {
        var redirection: Redirection?
        var isChallenged = false
        var answer: @Sendable (() -> Void) -> Void = { $0() }
    }

    init(rule: RedirectRule, request: URLRequest, body: RequestBody, session: URLSession) {
        (self.rule, self.request, self.body, self.session) = (rule, request, body, session)
    }

    private var sessionDelegate: (any URLSessionTaskDelegate)? { session.delegate as? any URLSessionTaskDelegate }

    /// The redirect to follow; `nil` if the response is final.
    var redirection: Redirection? { seen.withLock { $0.redirection } }

    /// Sets the function that answers redirects; it does so only while the task is not being cancelled.
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
        // The task then ends as cancelled. `.rejectProtectionSpace` does the same, and the default hangs for ever.
        // Answered from another thread, because cancelling waits for this one.
        DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
        // The task then ends with the 401.
        completionHandler(.rejectProtectionSpace, nil)
        #endif
    }
}

extension HopDelegate {
    /// Lets the session's delegate change or refuse a redirect. Its request must pass the same rule.
    private func askSessionDelegate(
        _ task: URLSessionTask, _ response: HTTPURLResponse, _ redirection: Redirection,
        then proceed: @escaping @Sendable (Redirection?) -> Void
    ) {
        let (rule, source, body) = (rule, request.url, redirection.keepsBody ? body : .ofRequest)
        let decide: @Sendable (URLRequest?) -> Void = { request in
            guard let request, let source else { return proceed(nil) }
            var changed = redirection
            changed.request = request
            if !rule.isCredentialKept(of: redirection.request, in: request) { changed.keepsCredential = false }
            proceed(rule.admitted(changed, from: source, hasBody: body.isPresent(with: request)))
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
        challenge.answer(by: session.delegate, in: session, of: task, completionHandler: completionHandler)
        #endif
    }

    #if canImport(FoundationNetworking)
    // On Apple's platforms the system itself calls the session's delegate for methods that a task's delegate lacks.
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
    /// Whether it is a 401 of a resource server, not a question about a server's certificate or a proxy's 407.
    var isUnauthorized: Bool {
        (failureResponse as? HTTPURLResponse)?.statusCode == 401 && !protectionSpace.isProxy()
    }

    #if !canImport(FoundationNetworking)
    /// Lets a session's delegate answer, or the system if the delegate has no method for the challenge.
    ///
    /// In the order of a session: a pinned certificate is checked in the method for the whole session, if there is one.
    func answer(
        by delegate: (any URLSessionDelegate)?, in session: URLSession, of task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        func askSession() -> Void? {
            delegate?.urlSession?(session, didReceive: self, completionHandler: completionHandler)
        }
        func askTask() -> Void? {
            (delegate as? any URLSessionTaskDelegate)?.urlSession?(
                session, task: task, didReceive: self, completionHandler: completionHandler)
        }
        let isAsked: Void? = isSessionLevel ? askSession() ?? askTask() : askTask()
        if isAsked == nil { completionHandler(.performDefaultHandling, nil) }
    }

    /// Whether it is about a connection, which requests share, and not about one request.
    private var isSessionLevel: Bool {
        [
            NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate,
            NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate,
        ].contains(protectionSpace.authenticationMethod)
    }
    #endif
}
