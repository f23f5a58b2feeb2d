// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)

/// A body receiver that uses tasks with a completion handler.
protocol TaskReceiver: BodyReceiver {
    /// Picks the carrier's session for a request.
    func session(for request: URLRequest, by rule: RedirectRule, of carrier: Carrier) -> URLSession

    func task(
        for request: URLRequest, body: RequestBody, in session: URLSession,
        completionHandler: @escaping @Sendable (Body?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionTask

    /// Discards the data that a task has received, before the task is cancelled.
    func abandon(_ task: URLSessionTask, of session: URLSession)

    /// An empty body, for a 401 whose body `URLSession` did not hand out.
    func emptyBody() throws -> Body
}

extension TaskReceiver {
    func session(for request: URLRequest, by rule: RedirectRule, of carrier: Carrier) -> URLSession {
        carrier.session(for: request, by: rule)
    }

    func abandon(_ task: URLSessionTask, of session: URLSession) {}

    func receive(
        _ request: URLRequest, body: RequestBody, over carrier: Carrier, delegate: HopDelegate, limits: SessionLimits
    ) async throws -> (Body, URLResponse) {
        let (request, timeout) = limits.applied(to: request)
        defer { withExtendedLifetime(carrier) {} }
        let session = session(for: request, by: delegate.rule, of: carrier)
        let cookies = carrier.cookies(of: session)
        let flight = TaskFlight(discard: discard, abandon: { abandon($0, of: session) })
        delegate.answer(by: flight.answer)
        let deadline = timeout.map { Deadline(after: $0) { flight.abort(with: URLError(.timedOut)) } }
        defer { deadline?.cancel() }
        return try await flight.result {
            let task = task(for: request, body: body, in: session) { body, response, error in
                cookies?.accept(from: response ?? flight.response)
                flight.land(
                    Result {
                        if let body, let response { return (body, response) }
                        guard delegate.isChallenged, let response = flight.response else {
                            throw (error as? URLError)?.explained ?? error ?? URLError(.unknown)
                        }
                        return (try emptyBody(), response)
                    })
            }
            task.delegate = delegate
            return task
        }
    }
}

extension DataReceiver: TaskReceiver {
    func task(
        for request: URLRequest, body: RequestBody, in session: URLSession,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionTask {
        switch body {
        case .ofRequest: session.dataTask(with: request, completionHandler: completionHandler)
        case .data(let data): session.uploadTask(with: request, from: data, completionHandler: completionHandler)
        case .file(let file): session.uploadTask(with: request, fromFile: file, completionHandler: completionHandler)
        }
    }

    func emptyBody() -> Data { Data() }
}

extension FileReceiver: TaskReceiver {
    func session(for request: URLRequest, by rule: RedirectRule, of carrier: Carrier) -> URLSession {
        carrier.sessionForFiles
    }

    func task(
        for request: URLRequest, body: RequestBody, in session: URLSession,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionTask {
        let task = session.dataTask(with: request)
        (session.delegate as? FileWriter)?.begin(task, completionHandler: completionHandler)
        return task
    }

    func abandon(_ task: URLSessionTask, of session: URLSession) { (session.delegate as? FileWriter)?.abandon(task) }

    func emptyBody() throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: file)
        return file
    }
}
#endif
