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
    /// How long discarding the body of a 401 may take.
    var patience = TimeAmount.seconds(1)

    /// Most calls need one credential that is at hand and one call of the client: no further asynchronous function, whose
    /// frame would take memory of the task, and no task or timer for the deadline.
    func send(
        _ request: HTTPClientRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int,
        isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        let credential: Credential
        if let atHand = try provider.credentialAtHand(for: request) {
            credential = atHand
        } else {
            // The time limit has a task of its own, which may fail before it hears of the cancellation.
            try Task.checkCancellation()
            credential = try await limited { try await provider.credential(for: request) }
        }
        let sent = try ready(request, with: credential)
        let response = try await client.execute(sent, deadline: deadline, logger: logger)
        try checkRedirects(of: response)
        guard Tries.concern(Int(response.status.code), credential) else { return response }
        return try await resend(
            request, after: response, to: Sent(request: sent, credential: credential), by: provider,
            refreshCount: refreshCount, isReplayable: isReplayable)
    }

    /// Handles an answer. The client has followed redirects by itself, so the refused request may be another one.
    @inline(never)
    private func resend(
        _ request: HTTPClientRequest, after response: HTTPClientResponse, to sent: Sent,
        by provider: some AuthorizationProvider, refreshCount: Int, isReplayable: Bool?
    ) async throws -> HTTPClientResponse {
        var (bare, response, sent) = (request, response, sent)
        var tries = Tries(sent.credential, refreshCount: refreshCount)
        // A 401 of another origin is no refusal of the credential.
        while response.answers(sent) {
            let isOnlyRedirected = response.history.count > 1 && response.lastRequest?.body == nil
            if response.history.count > 1, let last = response.lastRequest {
                bare = last
                for field in sent.credential.fields { bare.headers.remove(name: field.name) }
            }
            let isReplayable = isOnlyRedirected || (isReplayable ?? bare.isReplayable)
            guard try await wantsAnother(after: response, to: sent.credential, isReplayable, &tries) else { break }
            await discard(response)
            try Task.checkCancellation()
            let next = try await limited { [bare, response, tries] in
                try await tries.credential(for: bare, from: provider, after: response)
            }
            sent = Sent(request: try ready(bare, with: next), credential: next)
            response = try await client.execute(sent.request, deadline: deadline, logger: logger)
            try checkRedirects(of: response)
        }
        return response
    }

    /// Judges an answer within the deadline. If that fails, the answer is released.
    private func wantsAnother(
        after response: HTTPClientResponse, to credential: Credential, _ isReplayable: Bool, _ tries: inout Tries
    ) async throws -> Bool {
        do {
            // Only a refusal may take time.
            guard response.status.code >= 400 else {
                return try await tries.wantsAnother(after: response, to: credential, isReplayable: isReplayable)
            }
            let (judged, wantsAnother) = try await limited { [tries] in
                var tries = tries
                let wantsAnother = try await tries.wantsAnother(
                    after: response, to: credential, isReplayable: isReplayable)
                return (tries, wantsAnother)
            }
            tries = judged
            return wantsAnother
        } catch {
            await discard(response)
            throw error
        }
    }

    /// Asks a provider. When the time is over, it throws the error that the client's own calls throw.
    private func limited<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let time = Duration.nanoseconds((deadline - .now()).nanoseconds)
        return try await endingAtOnce(within: time, of: .system, else: HTTPClientError.deadlineExceeded, body)
    }

    private func discard(_ response: HTTPClientResponse) async {
        await response.body.discard(until: deadline, patience: patience)
    }

    /// Returns the request as it is sent.
    private func ready(_ request: HTTPClientRequest, with credential: Credential) throws -> HTTPClientRequest {
        var authorized = try request.ready(with: credential)
        // A proof names the path without dot segments (RFC 9449 §4.3), and the client would send them.
        if credential.isForOneRequest, credential.isProven {
            authorized.url = DotSegments.removed(fromURL: authorized.url)
        }
        // Knowing the usual field costs less than looking at the name of each.
        if clientFollowsRedirects, !credential.isUsual,
            let field = credential.names.first(where: { !Self.strippedFields.contains($0) })
        {
            throw NotAuthorized(
                .redirectsFollowed,
                detail: "a client that follows redirects would send \(field) to other hosts, so nothing was sent: make "
                    + "the HTTPClient with redirectConfiguration .disallow and pass clientFollowsRedirects: false")
        }
        // The client would check the deadline only after it has sent the request.
        guard .now() < deadline else { throw HTTPClientError.deadlineExceeded }
        return authorized
    }

    private func checkRedirects(of response: HTTPClientResponse) throws {
        guard !clientFollowsRedirects, response.history.count > 1 else { return }
        throw NotAuthorized(
            .redirectsFollowed,
            detail: "the client followed a redirect although clientFollowsRedirects is false, so another host may know "
                + "the credential: make the HTTPClient with redirectConfiguration .disallow and replace the credential")
    }

    /// The fields that the client removes at another origin (`transformRequestForRedirect`), in lower case.
    private static let strippedFields: Set = ["authorization", "cookie", "proxy-authorization"]
}

/// A request as it was sent, and its credential.
private struct Sent {
    let request: HTTPClientRequest
    let credential: Credential
}

extension HTTPClientResponse {
    /// The last request of a chain of redirects.
    fileprivate var lastRequest: HTTPClientRequest? { history.last?.request }

    /// Whether it answers a request that still carried the credential. One without fields goes no further than its origin.
    fileprivate func answers(_ sent: Sent) -> Bool {
        guard history.count > 1, let last = lastRequest else { return true }
        guard last.origin == sent.request.origin, sent.credential.mayGo(to: last) else { return false }
        return sent.credential.fields.allSatisfy { last.headers[$0.name] == sent.request.headers[$0.name] }
    }
}
#endif
