// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The request with which the user's browser opens the server's page (RFC 6749 §4.1.1).
struct AuthorizationRequest {
    /// The parameters of the request: ours, then the caller's, then the client's. The first one of a name counts.
    private(set) var form: FormParameters
    private let ourNames: Set<String>

    init(_ ours: [(name: String, value: String)], parameters: [String: String], client: OAuthClient) throws {
        form = FormParameters(ours)
        ourNames = Set(ours.map(\.name))
        form.add(extra: parameters)
        form.add(try ResourceIndicator.parameters(client.resources))
        form.add(extra: client.authorizationParameters)
    }

    /// Refers to a request that the server has already: only the client's id and the reference are sent (RFC 9126 §4).
    init(_ requestURI: String, for request: AuthorizationRequest, clientID: String) {
        form = FormParameters([("client_id", clientID), ("request_uri", requestURI)])
        ourNames = Set((request.form.list + form.list).map(\.name))
    }

    /// Adds the parameters to an endpoint without a fragment, whose own query stays (RFC 6749 §3.1).
    ///
    /// No parameter is sent twice: ours replace the endpoint's, and the endpoint's replace extra parameters.
    func url(of endpoint: URL) throws -> URL {
        let text = endpoint.absoluteString
        let mark = text.firstIndex(of: "?")
        let ownPairs = mark.map { Array(text[$0...].dropFirst().utf8) }?.split(separator: UInt8(ascii: "&")) ?? []
        let kept = ownPairs.filter { pair in FormPairs.name(of: pair).map { !ourNames.contains($0) } ?? true }
        let keptNames = Set(kept.compactMap { FormPairs.name(of: $0) })
        let added = form.list.filter { !keptNames.contains($0.name) }.map {
            "\(Self.escape($0.name))=\(Self.escape($0.value))"
        }
        let query = (kept.map { String(decoding: $0, as: UTF8.self) } + added).joined(separator: "&")
        guard let url = URL(string: "\(text[..<(mark ?? text.endIndex)])?\(query)") else {
            throw AuthorizationServerError(.notAURL, member: "authorization_endpoint")
        }
        return url
    }

    /// Encodes a text as in forms (RFC 6749 App. B), but a space as `%20`, which parsers of URIs understand too.
    private static func escape(_ text: String) -> String {
        FormEncoding.escape(text).split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}

extension TokenEndpoint {
    /// Sends an authorization request to the server before the user opens its page (RFC 9126 §2.1).
    func push(_ parameters: [(name: String, value: String)], provenBy key: ProofKey?) async throws -> AnswerObject {
        let url = try server.endpoint(
            server.pushedAuthorizationRequestEndpoint, named: "pushed_authorization_request_endpoint")
        do {
            return try await object(parameters, to: url, for: .pushedRequest, provenBy: key)
        } catch  where key != nil && Self.isOfProof(error) {
            // RFC 9449 §10.1: `dpop_jkt`, which is sent, is enough. Some servers require a nonce here and send none.
            return try await object(parameters, to: url, for: .pushedRequest)
        }
    }

    /// Whether the server refused the proof, not the request.
    private static func isOfProof(_ error: any Error) -> Bool {
        switch error {
        case let error as TokenEndpointError: ["invalid_dpop_proof", "use_dpop_nonce"].contains(error.code)
        case let error as InvalidTokenResponse: error.field == "DPoP-Nonce"
        default: false
        }
    }
}
