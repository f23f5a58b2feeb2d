// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One call of the user: every try, and in each try every redirect that is followed.
struct AuthorizedCall<Receiver: BodyReceiver> {
    let session: URLSession
    let body: RequestBody
    let receiver: Receiver

    func send(
        _ request: URLRequest, authorizedBy provider: some AuthorizationProvider, refreshCount: Int
    ) async throws -> (Receiver.Body, URLResponse) {
        let fields = CredentialFields()
        let answer = try await CredentialFields.$current.withValue(fields) {
            try await provider.send(
                request, refreshCount: refreshCount, isReplayable: body.isReplayable(with: request),
                unauthorized: { $0.refusal }, discard: { receiver.discard($0.body) }
            ) { authorized in
                try await exchange(
                    authorized, credentialFields: fields.names(on: authorized, comparedWith: request))
            }
        }
        return (answer.body, answer.response)
    }

    /// Sends an authorized request and follows redirects.
    private func exchange(
        _ authorized: URLRequest, credentialFields: Set<String>
    ) async throws -> Answer<Receiver.Body> {
        try authorized.checkFields(credentialFields)
        let configuration = session.configuration  // a copy each time
        let limits = SessionLimits(configuration)
        let rule = RedirectRule(
            credentialFields: credentialFields, fieldsOfSession: configuration.httpAdditionalHeaders)
        var hop = Redirection(request: authorized, keepsBody: true, keepsCredential: true)
        var body = body
        for _ in 0...RedirectRule.limit {
            let delegate = HopDelegate(rule: rule, request: hop.request, body: body, session: session)
            let (received, response) = try await receiver.receive(
                hop.request, body: body, from: session, delegate: delegate, limits: limits)
            guard var next = delegate.redirection else {
                return Answer(body: received, response: response, carriedCredential: hop.keepsCredential)
            }
            receiver.discard(received)
            next.keepsCredential = next.keepsCredential && hop.keepsCredential
            if !next.keepsBody { body = .ofRequest }
            hop = next
        }
        throw URLError(.httpTooManyRedirects)
    }
}

/// What came back, and whether it is an answer to the credential.
private struct Answer<Body> {
    let body: Body
    let response: URLResponse
    let carriedCredential: Bool

    /// A 401 of an origin that was never shown the credential says nothing about it.
    var refusal: UnauthorizedResponse? { carriedCredential ? (response as? HTTPURLResponse)?.unauthorized : nil }
}

/// Where the body of a request is.
enum RequestBody: Sendable {
    /// In the request, if it has one.
    case ofRequest
    case data(Data)
    case file(URL)

    func isReplayable(with request: URLRequest) -> Bool {
        guard case .ofRequest = self else { return true }
        return request.isReplayable
    }

    func isPresent(with request: URLRequest) -> Bool {
        guard case .ofRequest = self else { return true }
        return request.httpBodyStream != nil || request.httpBody?.isEmpty == false
    }
}

extension URLRequest {
    /// Refuses what would break out of its header line, also where a provider wrote around `setCredential`.
    fileprivate func checkFields(_ names: Set<String>) throws {
        for (name, value) in allHTTPHeaderFields ?? [:] where names.contains(name.lowercased()) {
            guard name.fitsInHeaderLine, value.fitsInHeaderLine else {
                throw NotAuthorized(.malformedCredential, detail: "a header field holds CR, LF or NUL")
            }
        }
    }
}

extension RedirectRule {
    /// Asks the session's own header fields for credentials that could not be left behind.
    fileprivate init(credentialFields: Set<String>, fieldsOfSession: [AnyHashable: Any]?) {
        let names = (fieldsOfSession ?? [:]).keys.lazy.compactMap { ($0 as? String)?.lowercased() }
        let addsCredential = names.contains { Self.alwaysCredentials.contains($0) || credentialFields.contains($0) }
        self.init(credentialFields: credentialFields, sessionAddsCredential: addsCredential)
    }
}
