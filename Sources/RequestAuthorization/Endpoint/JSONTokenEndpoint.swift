// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token endpoint that accepts and returns JSON but is not OAuth, for instance the log-in of an app's own server.
///
///     let answer = try await endpoint.post(["refresh_token": token.refreshToken], expecting: Answer.self)
///     return MyToken(accessToken: answer.body.accessToken, expiresAt: answer.sentAt + answer.body.expiresIn)
///
/// Each request is a `POST`, sent once over `https` (or `http` on loopback). At most 1 MiB of the answer is read. A
/// failure becomes a ``TokenEndpointError`` with the server's error code and its `Retry-After`.
public struct JSONTokenEndpoint: Sendable, RedactedDescription {
    let url: URL
    let transport: any TokenTransport
    let clock: any AuthorizationClock
    let headerFields: [(name: String, value: String)]
    let errorMember: String
    let keys: JSONDecoder.KeyDecodingStrategy
    let dates: JSONDateFormat?
    let failureKind: @Sendable (_ status: Int, _ code: String?) -> TokenFailureKind?

    /// Creates an endpoint. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: the address of the endpoint.
    ///   - transport: sends the requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests. Pass the clock of the provider.
    ///   - headerFields: sent with each request, for instance an API key. `Content-Type` and `Accept` are set already.
    ///   - errorMember: the member of an answer that holds the error code as a string, or its path with dots:
    ///     `error.code` for `{"error":{"code":"…"}}`. Without the path such a code has no effect.
    ///   - keys: how members become properties of the expected type; `.convertFromSnakeCase` turns `access_token` into
    ///     `accessToken`.
    ///   - dates: how the server writes dates. It is needed if the expected type has a `Date`: servers differ, and a
    ///     wrong guess is off by years.
    ///   - failureKind: what an error means for the session, if the server has codes of its own. It returns `nil` for
    ///     the usual meaning (``TokenEndpointError``). Return ``TokenFailureKind/terminal`` for a dead refresh token:
    ///     by default only OAuth's codes end a session.
    public init(
        _ url: URL, transport: any TokenTransport, clock: any AuthorizationClock = .system,
        headerFields: [(name: String, value: String)] = [], errorMember: String = "error",
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys, dates: JSONDateFormat? = nil,
        failureKind: @escaping @Sendable (_ status: Int, _ code: String?) -> TokenFailureKind? = { _, _ in nil }
    ) {
        (self.url, self.transport, self.clock, self.headerFields) = (url, transport, clock, headerFields)
        (self.errorMember, self.keys, self.dates, self.failureKind) = (errorMember, keys, dates, failureKind)
    }

    /// Sends fields as a JSON object and decodes the answer.
    ///
    /// A member of the answer that cannot be read counts as missing. If the expected type does not need it, the others
    /// are returned, such as a new refresh token.
    ///
    /// - Parameters:
    ///   - fields: a dictionary, or another value that is encoded as an object.
    ///   - type: the type of a successful answer.
    /// - Returns: the decoded answer, and when the request was sent.
    /// - Throws: ``TokenEndpointError`` for any status but 2xx, and for a 2xx whose body is an error;
    ///   ``InvalidTokenResponse`` with the name of the member if the answer cannot be decoded; ``InvalidTokenRequest``
    ///   if nothing can be sent; what the transport throws.
    public func post<Body: Decodable>(
        _ fields: some Encodable, expecting type: Body.Type = Body.self
    ) async throws -> JSONTokenAnswer<Body> {
        let request = try request(fields)
        // A lifetime counts from here: the answer may be slow.
        let sentAt = clock.now
        let response = try await transport.send(request)
        if let error = error(in: response, to: request) { throw error }
        return JSONTokenAnswer(sentAt: sentAt, body: try decode(type, response))
    }
}

/// The answer of a ``JSONTokenEndpoint``.
public struct JSONTokenAnswer<Body>: RedactedDescription {
    /// When the request was sent. A lifetime counts from here: `answer.sentAt + answer.body.expiresIn`.
    public let sentAt: Date
    /// The decoded answer.
    public let body: Body
}

extension JSONTokenAnswer: Sendable where Body: Sendable {}

// MARK: - The request

extension JSONTokenEndpoint {
    private func request(_ fields: some Encodable) throws -> TokenRequest {
        guard let origin = Origin(url), origin.scheme == "https" || (origin.scheme == "http" && origin.isLoopback)
        else {
            throw InvalidTokenRequest(
                parameter: "url", detail: "is not https; plain http is allowed on this machine only")
        }
        return TokenRequest(
            url: url,
            fields: [("Content-Type", "application/json"), ("Accept", "application/json")] + headerFields,
            body: try body(fields))
    }

    private func body(_ fields: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // The encoder's error is not passed on: its description may contain a value.
        guard let body = try? encoder.encode(fields) else {
            throw InvalidTokenRequest(
                parameter: "fields", detail: "cannot be encoded as JSON; pass a dictionary of strings")
        }
        return Array(body)
    }
}
