// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import Logging

/// One call of the user: all its tries, within one deadline.
struct AuthorizedExecution {
    let client: HTTPClient
    let deadline: NIODeadline
    let logger: Logger?
    let clientFollowsRedirects: Bool

    func send(
        _ request: HTTPClientRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int,
        isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        guard let sent = try authorizedAtOnce(request, by: provider) else {
            return try await sendWhenAuthorized(
                request, by: provider, refreshCount: refreshCount, isReplayable: isReplayable)
        }
        let response = try await client.execute(sent.request, deadline: deadline, logger: logger)
        guard response.status == .unauthorized else {
            try checkRedirects(of: response)
            return response
        }
        let answer = try answer(response, to: sent.request, credentials: sent.credentials)
        guard answer.carriedCredential else { return response }
        return try await resend(
            request, after: answer, to: sent, by: provider, refreshCount: refreshCount, isReplayable: isReplayable)
    }

    /// Authorizes a request synchronously, where that is possible, and checks what must hold before it is sent.
    ///
    /// Most calls need only this and one call of the client: no further asynchronous function, whose frame would take
    /// memory of the task, and no task or timer for the deadline.
    @inline(never)
    private func authorizedAtOnce(
        _ request: HTTPClientRequest, by provider: some AuthorizationProvider
    ) throws -> SentRequest? {
        guard let synchronous = provider as? any SynchronousAuthorization,
            let known = synchronous.credentialFields(for: request)
        else { return nil }
        var authorized = request
        guard try synchronous.authorizeAtOnce(&authorized) else { return nil }
        try Task.checkCancellation()
        try checkBeforeSending(credentials: known)
        return SentRequest(request: authorized, credentials: known)
    }

    @inline(never)
    private func resend(
        _ request: HTTPClientRequest, after answer: Answer, to sent: SentRequest,
        by provider: some AuthorizationProvider, refreshCount: Int, isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        try await limited(provider, fields: nil).resend(
            request, after: answer, to: sent.request, refreshCount: refreshCount, isReplayable: isReplayable,
            head: { $0.head }, unauthorized: { $0.refusal }, discard: discard,
            transport: { try await execute($0, credentials: sent.credentials) }
        ).response
    }

    /// Sends a request whose credential has to be awaited, or whose provider does not say which fields it sets.
    @inline(never)
    private func sendWhenAuthorized(
        _ request: HTTPClientRequest, by provider: some AuthorizationProvider, refreshCount: Int, isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        let known = (provider as? any SynchronousAuthorization)?.credentialFields(for: request)
        let fields = known == nil ? CredentialFields() : nil
        return try await limited(provider, fields: fields).send(
            request, refreshCount: refreshCount, isReplayable: isReplayable, head: { $0.head },
            unauthorized: { $0.refusal }, discard: discard
        ) { authorized in
            if let known { return try await execute(authorized, credentials: known) }
            let names = fields?.names(on: authorized, comparedWith: request) ?? []
            try authorized.checkFields(names)
            return try await execute(authorized, credentials: names)
        }.response
    }

    private func limited<Provider>(_ provider: Provider, fields: CredentialFields?) -> DeadlineAuthorization<Provider> {
        DeadlineAuthorization(
            provider: provider, deadline: deadline, eventLoops: client.eventLoopGroup, fields: fields)
    }

    private func discard(_ answer: Answer) async { await answer.response.body.discard(until: deadline) }

    /// Sends an authorized request; the client follows redirects by itself.
    private func execute(_ authorized: HTTPClientRequest, credentials: Set<String>) async throws -> Answer {
        try checkBeforeSending(credentials: credentials)
        var authorized = authorized
        // A proof names the path without dot segments (RFC 9449 §4.3), and the client would send them.
        if credentials.contains("dpop") { authorized.url = DotSegments.removed(fromURL: authorized.url) }
        let response = try await client.execute(authorized, deadline: deadline, logger: logger)
        return try answer(response, to: authorized, credentials: credentials)
    }

    private func checkBeforeSending(credentials: Set<String>) throws {
        // Comparing with the usual set costs less than a look at each of its names.
        if clientFollowsRedirects, credentials != CredentialFields.authorization,
            let field = credentials.first(where: { !RedirectFields.stripped.contains($0) })
        {
            throw NotAuthorized(.redirectsFollowed, detail: RedirectFields.advice(for: field))
        }
        // The client would check the deadline only after it has sent the request.
        guard .now() < deadline else { throw HTTPClientError.deadlineExceeded }
    }

    private func checkRedirects(of response: HTTPClientResponse) throws {
        guard !clientFollowsRedirects, response.history.count > 1 else { return }
        throw NotAuthorized(.redirectsFollowed, detail: RedirectFields.correction)
    }

    private func answer(
        _ response: HTTPClientResponse, to authorized: HTTPClientRequest, credentials: Set<String>
    ) throws -> Answer {
        try checkRedirects(of: response)
        return Answer(response: response, carriedCredential: response.carries(credentials, of: authorized))
    }
}

/// A request with its credential, and the names of the credential's fields.
private struct SentRequest {
    let request: HTTPClientRequest
    let credentials: Set<String>
}

/// A response, and whether its request carried the credential.
private struct Answer {
    let response: HTTPClientResponse
    let carriedCredential: Bool

    /// The 401, if its origin received the credential. A 401 of another origin is no refusal of it.
    var refusal: UnauthorizedResponse? { head?.unauthorized }

    var head: HTTPClientResponse? { carriedCredential ? response : nil }
}

/// The client's rule for header fields when a redirect leads to another origin.
private enum RedirectFields {
    /// The fields that the client removes (`transformRequestForRedirect`), in lower case. It keeps all others.
    static let stripped: Set = ["authorization", "cookie", "proxy-authorization"]

    static func advice(for field: String) -> String {
        "a client that follows redirects would send \(field) to other hosts, so nothing was sent: make the "
            + "HTTPClient with redirectConfiguration .disallow and pass clientFollowsRedirects: false"
    }

    static let correction =
        "the client followed a redirect although clientFollowsRedirects is false, so another host may know the "
        + "credential: make the HTTPClient with redirectConfiguration .disallow and replace the credential"
}

extension CredentialFields {
    /// The fields that were set or that differ: a provider may bypass `setCredential`.
    fileprivate func names(on authorized: HTTPClientRequest, comparedWith original: HTTPClientRequest) -> Set<String> {
        var names = names
        for (name, value) in authorized.headers where !original.headers.contains(where: { $0 == (name, value) }) {
            names.insert(name.lowercased())
        }
        return names
    }
}

extension HTTPClientRequest {
    /// Throws if a field is malformed, or was not set for that reason; a provider may bypass `setCredential`.
    fileprivate func checkFields(_ names: Set<String>) throws {
        var isWellFormed = names.allSatisfy { headers.contains(name: $0) }
        for (name, value) in headers where names.contains(name.lowercased()) {
            isWellFormed = isWellFormed && name.isHeaderFieldName && value.fitsInHeaderLine
        }
        guard isWellFormed else { throw NotAuthorized.malformedField }
    }
}

extension HTTPClientResponse {
    /// Whether the last request of a chain of redirects still carried the credential.
    fileprivate func carries(_ names: Set<String>, of authorized: HTTPClientRequest) -> Bool {
        guard history.count > 1, let last = history.last?.request else { return true }
        return names.allSatisfy { last.headers[$0] == authorized.headers[$0] }
    }
}
#endif
