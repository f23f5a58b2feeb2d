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
        let departure = departure(for: request, body, of: Carrier.of(session))
        defer { departure?.end() }
        if let synchronous = provider as? any SynchronousAuthorization,
            let fields = synchronous.credentialFields(for: request)
        {
            return try await send(
                request, authorizedAtOnceBy: synchronous, credentialFields: fields, refreshCount: refreshCount,
                departure: departure)
        }
        let fields = CredentialFields()
        return try await CredentialFields.$current.withValue(fields) {
            try await send(
                body.shown(on: request), authorizedBy: provider, refreshCount: refreshCount, departure: departure,
                signsTargets: { fields.wasTargetRead && fields.proof == nil }
            ) { authorized in
                let names = fields.names(on: authorized, comparedWith: request)
                try authorized.checkFields(names)
                return names
            }
        }
    }

    /// Sends a request with a provider that can authorize synchronously. In the common case nothing else is needed.
    private func send(
        _ request: URLRequest, authorizedAtOnceBy provider: any SynchronousAuthorization,
        credentialFields fields: Set<String>, refreshCount: Int, departure: Departure?
    ) async throws -> (Receiver.Body, URLResponse) {
        guard let authorized = try provider.authorizeAtOnce(request), departure?.beginsAtOnce() ?? true else {
            return try await send(
                request, authorizedBy: provider, refreshCount: refreshCount, departure: departure
            ) { _ in fields }
        }
        try Task.checkCancellation()
        let first = try await exchange(authorized, by: provider, credentialFields: fields, departure: departure)
        guard refreshCount > 0, first.refusal != nil else { return (first.body, first.response) }
        let answer = try await DepartingAuthorization(provider: provider, departure: departure).resend(
            request, after: first, to: authorized, refreshCount: refreshCount,
            isReplayable: body.isReplayable(with: request), head: { $0.head }, unauthorized: { $0.refusal },
            discard: { receiver.discard($0.body) }
        ) { try await exchange($0, by: provider, credentialFields: fields, departure: departure) }
        return (answer.body, answer.response)
    }

    /// - Parameters:
    ///   - signsTargets: whether the provider has read the request's URI. Redirects then need a new credential.
    ///   - credentialFields: the names of the fields that the provider has set, in lower case.
    private func send(
        _ request: URLRequest, authorizedBy provider: any AuthorizationProvider, refreshCount: Int,
        departure: Departure?, signsTargets: () -> Bool = { false },
        credentialFields: (URLRequest) throws -> Set<String>
    ) async throws -> (Receiver.Body, URLResponse) {
        let answer = try await DepartingAuthorization(provider: provider, departure: departure).send(
            request, refreshCount: refreshCount, isReplayable: body.isReplayable(with: request),
            head: { $0.head }, unauthorized: { $0.refusal }, discard: { receiver.discard($0.body) }
        ) { authorized in
            try await exchange(
                body.hidden(on: authorized), by: provider, credentialFields: try credentialFields(authorized),
                departure: departure
            ) { hop, body in
                guard signsTargets() else { return nil }
                let authorized = try await provider.authorize(body.shown(on: hop))
                try Task.checkCancellation()
                return (body.hidden(on: authorized), try credentialFields(authorized))
            }
        }
        return (answer.body, answer.response)
    }

    /// Sends an authorized request and follows redirects.
    ///
    /// - Parameters:
    ///   - provider: learns from the redirects, and makes a new proof for each redirect within the origin.
    ///   - departure: holds the request's slot, if it needs one; the slot is given back before this function returns.
    ///   - authorizeHop: authorizes the request that follows a redirect to the same origin, and names the fields it has
    ///     set; `nil` if the request keeps its credential.
    private func exchange(
        _ authorized: URLRequest, by provider: any AuthorizationProvider, credentialFields: Set<String>,
        departure: Departure?,
        authorizeHop: (URLRequest, RequestBody) async throws -> (URLRequest, Set<String>)? = { _, _ in nil }
    ) async throws -> Answer<Receiver.Body> {
        let carrier = Carrier.of(session)
        let limits = departure?.limits ?? SessionLimits(carrier.settings)
        var rule = RedirectRule(credentialFields: credentialFields, fieldsOfSession: carrier.settings.addedFields)
        var hop = Redirection(request: authorized, keepsBody: true, keepsCredential: true)
        var (body, departure) = (body, departure)
        defer { departure?.end() }
        for _ in 0...RedirectRule.limit {
            let delegate = HopDelegate(rule: rule, request: hop.request, body: body, session: session)
            let (received, response) = try await receiver.receive(
                hop.request, body: body, over: departure == nil ? carrier : carrier.withOwnConnections(),
                delegate: delegate, limits: limits)
            guard var next = delegate.redirection else {
                return Answer(body: received, response: response, carriedCredential: hop.keepsCredential)
            }
            receiver.discard(received)
            if hop.keepsCredential, let head = response as? HTTPURLResponse {
                _ = provider.learn(from: head, to: hop.request)
            }
            next.keepsCredential = next.keepsCredential && hop.keepsCredential
            if !next.keepsBody { body = .ofRequest }
            hop = next
            departure = try await self.departure(for: hop.request, body, of: carrier, after: departure, limits)
            guard hop.keepsCredential else { continue }
            if let (request, fields) = try await authorizeHop(hop.request, body) {
                hop.request = request
                rule = RedirectRule(credentialFields: fields, fieldsOfSession: carrier.settings.addedFields)
            } else {
                hop.request = try await provenAnew(hop.request, by: provider)
            }
        }
        throw URLError(.httpTooManyRedirects)
    }

    /// Adds a new proof for a redirect's target: a proof is for one URI (RFC 9449 §4.2).
    private func provenAnew(_ request: URLRequest, by provider: any AuthorizationProvider) async throws -> URLRequest {
        if let synchronous = provider as? any SynchronousAuthorization,
            let proven = try await synchronous.prove(request, ifValidNow: false)
        {
            return proven
        }
        guard let proof = CredentialFields.current?.proof else { return request }
        return try await request.proven(by: proof.proof, names: proof.names)
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
            to: host, slots: carrier.slots, limit: connection.limit ?? settings.connectionsPerHost,
            settings: settings, limits: limits)
    }

    /// The departure of a redirect: at the same origin the former one, whose credential is kept; else a new one.
    private func departure(
        for request: URLRequest, _ body: RequestBody, of carrier: Carrier, after former: Departure?,
        _ limits: SessionLimits
    ) async throws -> Departure? {
        let next = departure(for: request, body, of: carrier, limits: limits)
        if let former, former.host == next?.host { return former }
        former?.end()
        try await next?.wait()
        return next
    }
}

/// A response, and whether its request carried the credential.
private struct Answer<Body> {
    let body: Body
    let response: URLResponse
    let carriedCredential: Bool

    /// The 401, if its origin received the credential. A 401 of another origin is no refusal of it.
    var refusal: UnauthorizedResponse? { head?.unauthorized }

    var head: HTTPURLResponse? { carriedCredential ? response as? HTTPURLResponse : nil }
}

extension URLRequest {
    /// Throws if a field would end its header line early, or was dropped for that reason by `setCredential`.
    ///
    /// A provider may bypass `setCredential`, so all fields are checked.
    fileprivate func checkFields(_ names: Set<String>) throws {
        let isWellFormed = (allHTTPHeaderFields ?? [:]).allSatisfy { name, value in
            !names.contains(name.lowercased()) || (name.fitsInHeaderLine && value.fitsInHeaderLine)
        }
        guard isWellFormed, CredentialFields.current?.hasRefusal != true else {
            throw NotAuthorized(
                .malformedCredential, detail: "the name or the value of a header field contains CR, LF or NUL")
        }
    }
}

extension RedirectRule {
    /// Checks the session's own header fields for credentials, which a request cannot remove.
    fileprivate init(credentialFields: Set<String>, fieldsOfSession: [String]) {
        self.init(credentialFields: credentialFields)
        sessionAddsCredential = fieldsOfSession.contains(where: isCredential)
    }
}

extension CredentialFields {
    /// The fields that were set or that differ: a provider may bypass `setCredential`.
    func names(on authorized: URLRequest, comparedWith original: URLRequest) -> Set<String> {
        let before = original.allHTTPHeaderFields ?? [:]
        let after = authorized.allHTTPHeaderFields ?? [:]
        return names.union(after.lazy.filter { before[$0.key] != $0.value }.map { $0.key.lowercased() })
    }
}
