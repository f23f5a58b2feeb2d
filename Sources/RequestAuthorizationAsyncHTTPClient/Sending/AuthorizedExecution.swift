// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import RequestAuthorization

/// One call of the user: every try, until one time is over.
struct AuthorizedExecution {
    let client: HTTPClient
    let deadline: NIODeadline
    let logger: Logger?
    let clientFollowsRedirects: Bool

    func send(
        _ request: HTTPClientRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int,
        isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        let immediate = provider as? any ImmediateAuthorization
        let known = immediate?.credentialFields(for: request)
        if let immediate, let known, deadline > .now() {
            var authorized = request
            if try immediate.authorizeAtOnce(&authorized) {
                return try await send(
                    request, authorized: authorized, by: provider, credentials: known, refreshCount: refreshCount,
                    isReplayable: isReplayable)
            }
        }
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

    /// Sends a request whose credential was at hand. Nothing is prepared for waiting, unless it is refused.
    private func send(
        _ request: HTTPClientRequest, authorized: HTTPClientRequest, by provider: some AuthorizationProvider,
        credentials: Set<String>, refreshCount: Int, isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        try Task.checkCancellation()
        let answer = try await execute(authorized, credentials: credentials)
        guard answer.refusal != nil else { return answer.response }
        return try await limited(provider, fields: nil).resend(
            request, after: answer, to: authorized, refreshCount: refreshCount, isReplayable: isReplayable,
            head: { $0.head }, unauthorized: { $0.refusal }, discard: discard,
            transport: { try await execute($0, credentials: credentials) }
        ).response
    }

    private func limited<Provider>(_ provider: Provider, fields: CredentialFields?) -> DeadlineAuthorization<Provider> {
        DeadlineAuthorization(
            provider: provider, deadline: deadline, eventLoops: client.eventLoopGroup, fields: fields)
    }

    private func discard(_ answer: Answer) async { await answer.response.body.discard(until: deadline) }

    /// Sends an authorized request; the client follows redirects by itself.
    private func execute(_ authorized: HTTPClientRequest, credentials: Set<String>) async throws -> Answer {
        if clientFollowsRedirects, let field = credentials.first(where: { !RedirectFields.stripped.contains($0) }) {
            throw NotAuthorized(.redirectsFollowed, detail: RedirectFields.advice(for: field))
        }
        // The client would send first and look at the time then.
        guard .now() < deadline else { throw HTTPClientError.deadlineExceeded }
        let response = try await client.execute(authorized, deadline: deadline, logger: logger)
        if !clientFollowsRedirects, response.history.count > 1 {
            throw NotAuthorized(.redirectsFollowed, detail: RedirectFields.correction)
        }
        return Answer(response: response, carriedCredential: response.carries(credentials, of: authorized))
    }
}

/// What came back, and whether it is an answer to the credential.
private struct Answer {
    let response: HTTPClientResponse
    let carriedCredential: Bool

    /// A 401 of an origin that was never shown the credential says nothing about it.
    var refusal: UnauthorizedResponse? { head?.unauthorized }

    var head: HTTPClientResponse? { carriedCredential ? response : nil }
}

/// What the client does with header fields when a redirect leads to another origin.
private enum RedirectFields {
    /// Those it takes off (`transformRequestForRedirect`), in lower case. Everything else goes along.
    static let stripped: Set = ["authorization", "cookie", "proxy-authorization"]

    static func advice(for field: String) -> String {
        "a client that follows redirects takes \(field) along to other hosts: make the HTTPClient with "
            + "redirectConfiguration .disallow and say clientFollowsRedirects: false"
    }

    static let correction =
        "clientFollowsRedirects: false was said of a client that has followed one: make the HTTPClient with "
        + "redirectConfiguration .disallow, and take the credential for known to others"
}

extension CredentialFields {
    /// What was set so far, and what differs: a provider may write around `setCredential`.
    fileprivate func names(on authorized: HTTPClientRequest, comparedWith original: HTTPClientRequest) -> Set<String> {
        var names = names
        for (name, value) in authorized.headers where !original.headers.contains(where: { $0 == (name, value) }) {
            names.insert(name.lowercased())
        }
        return names
    }
}

extension HTTPClientRequest {
    /// Refuses what is no header field, also where a provider wrote around `setCredential`, and what was not set for that reason.
    fileprivate func checkFields(_ names: Set<String>) throws {
        var isWellFormed = names.allSatisfy { headers.contains(name: $0) }
        for (name, value) in headers where names.contains(name.lowercased()) {
            isWellFormed = isWellFormed && name.isHeaderFieldName && value.fitsInHeaderLine
        }
        guard isWellFormed else {
            throw NotAuthorized(
                .malformedCredential, detail: "a header field holds a control character, or has no name")
        }
    }
}

extension HTTPClientResponse {
    /// Whether the request that it answers, the last of those that followed redirects, still had the credential.
    fileprivate func carries(_ names: Set<String>, of authorized: HTTPClientRequest) -> Bool {
        guard history.count > 1, let last = history.last?.request else { return true }
        return names.allSatisfy { last.headers[$0] == authorized.headers[$0] }
    }
}
#endif
