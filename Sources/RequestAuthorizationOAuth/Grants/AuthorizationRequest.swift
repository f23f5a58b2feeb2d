// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a person's browser is sent with to the server (RFC 6749 §4.1.1).
struct AuthorizationRequest {
    /// What makes the request what it is, then what the caller and the client say besides: the first to say something wins.
    private(set) var form: FormParameters
    private let ourNames: Set<String>

    /// - Parameters:
    ///   - ours: what makes the request what it is.
    ///   - parameters: what the caller says this time.
    ///   - client: what the client says each time.
    init(_ ours: [(name: String, value: String)], parameters: [String: String], client: OAuthClient) throws {
        form = FormParameters(ours)
        ourNames = Set(ours.map(\.name))
        form.add(extra: parameters)
        form.add(try ResourceIndicator.parameters(client.resources))
        form.add(extra: client.authorizationParameters)
    }

    /// In place of a request that the server has: the client and the reference to it, and nothing else (RFC 9126 §4).
    init(_ requestURI: String, for request: AuthorizationRequest, clientID: String) {
        form = FormParameters([("client_id", clientID), ("request_uri", requestURI)])
        ourNames = Set((request.form.list + form.list).map(\.name))
    }

    /// Puts together an endpoint's own query, which stays (RFC 6749 §3.1), and the parameters.
    ///
    /// No parameter is sent twice: ours come before the endpoint's, and the endpoint's before what is said besides.
    ///
    /// - Parameter endpoint: without a fragment.
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

    /// As forms are encoded (RFC 6749 App. B), but a space as `%20`, which those who read a query as a part of a URI
    /// understand too.
    private static func escape(_ text: String) -> String {
        FormEncoding.escape(text).split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}
