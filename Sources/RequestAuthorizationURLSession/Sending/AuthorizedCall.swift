// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One call of the user: all its tries, with all redirects that they follow.
struct AuthorizedCall<Receiver: BodyReceiver> {
    let session: URLSession
    let body: RequestBody
    let receiver: Receiver
    let connection: ConnectionUse

    func send(
        _ request: URLRequest, authorizedBy provider: any AuthorizationProvider, refreshCount: Int
    ) async throws -> (Receiver.Body, URLResponse) {
        var departure = departure(for: request, body, of: Carrier.of(session))
        defer { departure?.end() }
        let hop = Hop(request: request, body: body)
        let first: Credential
        if let atHand = try provider.credentialAtHand(for: hop.shown), departure?.beginsAtOnce() ?? true {
            first = atHand
        } else {
            first = try await DepartingAuthorization(provider: provider, departure: departure).credential(
                for: hop.shown)
        }
        var answer = try await exchange(hop, first, from: provider, departure: departure)
        guard let head = answer.head, Tries.concern(head.statusCode, answer.credential) else {
            return (answer.body, answer.response)
        }
        var tries = Tries(first, refreshCount: refreshCount)
        while case .again(let refusal) = try await tries.judged(
            answer, to: answer.credential, isReplayable: answer.hop.body.isReplayable(with: answer.hop.request),
            head: { $0.head }, discard: { receiver.discard($0.body) })
        {
            let hop = answer.hop
            departure = self.departure(for: hop.request, hop.body, of: Carrier.of(session))
            let next = try await tries.credential(
                for: hop.shown, from: DepartingAuthorization(provider: provider, departure: departure), after: refusal)
            answer = try await exchange(hop, next, from: provider, departure: departure)
        }
        return (answer.body, answer.response)
    }

    /// Sends a request with a credential, and follows redirects.
    ///
    /// - Parameters:
    ///   - provider: makes a new credential for each redirect within the origin, if it is for one request.
    ///   - departure: holds the request's slot, if it needs one; the slot is given back before this function returns.
    private func exchange(
        _ hop: Hop, _ credential: Credential, from provider: any AuthorizationProvider, departure: Departure?
    ) async throws -> Answer<Receiver.Body> {
        let carrier = Carrier.of(session)
        let limits = departure?.limits ?? SessionLimits(carrier.settings)
        var (hop, credential, departure) = (hop, credential, departure)
        defer { departure?.end() }
        var request = try hop.request.ready(with: credential)
        for count in 0...RedirectRule.limit {
            // Nothing is sent when the time is over.
            if let end = limits.end, end <= .now {
                credential.withdraw()
                throw URLError(.timedOut)
            }
            let delegate = HopDelegate(
                rule: RedirectRule(for: credential, in: carrier.settings), request: request, body: hop.body,
                session: session)
            let sent = hop.keepsCredential ? request.keepingCookie(of: credential) : request
            let shared = carrier.handlingCookies(of: sent)
            let (received, response) = try await receiver.receive(
                sent, body: hop.body, over: departure == nil ? shared : shared.withOwnConnections(),
                delegate: delegate, limits: limits)
            guard let redirection = delegate.redirection else {
                return Answer(body: received, response: response, hop: hop, credential: credential)
            }
            receiver.discard(received)
            if hop.keepsCredential, credential.wantsEveryAnswer, let head = response as? HTTPURLResponse {
                _ = try await Departure.$asking.withValue(departure ?? Departure.asking) { [credential] in
                    try await credential.judge(head)
                }
            }
            if count == RedirectRule.limit { break }  // No slot is awaited, and no proof made, for nothing.
            hop.follow(redirection, credential)
            request = hop.keepsCredential ? redirection.request : hop.request
            let next = self.departure(for: request, hop.body, of: carrier, limits: limits)
            // At the same origin the slot is kept, and the credential that it was taken for.
            if departure?.host != next?.host {
                departure?.end()
                departure = next
                try await next?.wait()
            }
            guard hop.keepsCredential, credential.isForOneRequest else { continue }
            let successor = try await Departure.$asking.withValue(departure ?? Departure.asking) { [hop] in
                try await provider.credential(for: hop.shown)
            }
            // Compared with the last one: the first of the call may have had no session.
            try credential.allowsToGoOn(with: successor)
            credential = successor
            request = try hop.request.ready(with: credential)
        }
        throw URLError(.httpTooManyRedirects)
    }

    // MARK: - Slots

    /// The departure of a request that gets a connection of its own; `nil` for a request that shares connections.
    private func departure(
        for request: URLRequest, _ body: RequestBody, of carrier: @autoclosure () -> Carrier,
        limits: SessionLimits? = nil
    ) -> Departure? {
        guard body.needsOwnConnection(with: request, connection), let host = request.origin else { return nil }
        let carrier = carrier()
        let settings = carrier.settings
        return Departure(
            to: host, slots: Departure.isHeld ? ConnectionSlots() : carrier.slots,
            limit: connection.limit ?? settings.connectionsPerHost, settings: settings, limits: limits)
    }
}

/// A request of a call, without its credential: the first one, or one to which a redirect led.
private struct Hop {
    var request: URLRequest
    var body: RequestBody
    /// Whether it gets the credential. Once it is removed, it is not added again.
    var keepsCredential = true

    /// The request as a provider sees it.
    var shown: URLRequest { body.shown(on: request) }

    mutating func follow(_ redirection: Redirection, _ credential: Credential) {
        let former = request
        request = redirection.request
        if !redirection.keepsBody { body = .ofRequest }
        guard keepsCredential, redirection.keepsCredential else { return keepsCredential = false }
        let names = credential.names
        request.removeFields { names.contains($0.lowercased()) }
        keepsCredential = credential.mayGo(to: shown)
        // A provider may have replaced fields of the caller, such as the digest of a file, and needs them again.
        guard keepsCredential, redirection.keepsBody else { return }
        for name in names {
            if let own = former.credential(in: name) { request.setCredential(own, in: name) }
        }
    }
}

/// A response, with the request and the credential that it answers.
private struct Answer<Body> {
    let body: Body
    let response: URLResponse
    let hop: Hop
    let credential: Credential

    /// The response, if its origin received the credential. A 401 of another origin is no refusal of it.
    var head: HTTPURLResponse? { hop.keepsCredential ? response as? HTTPURLResponse : nil }
}

extension URLRequest {
    /// The request without the session's cookies if its credential is a cookie: a stored one would take its place, and
    /// may be another user's.
    fileprivate func keepingCookie(of credential: Credential) -> URLRequest {
        guard !credential.isUsual, credential.names.contains("cookie") else { return self }
        var request = self
        request.httpShouldHandleCookies = false
        return request
    }
}

extension RedirectRule {
    /// Checks the session's own header fields for credentials, which a request cannot remove.
    fileprivate init(for credential: Credential, in settings: SessionSettings) {
        self.init(credentialFields: credential.isUsual ? [] : credential.names)
        sessionAddsCredential = settings.addedFields.contains(where: isCredential)
    }
}
