// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Asks a closure for the credential of each request, for what already keeps credentials or signs requests.
///
///     // one field, Authorization unless named
///     let vault = ClosureAuthorization(field: "X-API-Key") { try await vault.currentKey() }
///
///     // any number of fields, made from the request
///     let signed = ClosureAuthorization { request in
///         ["X-Signature": try signer.sign(request.requestMethod, request.targetURI)]
///     }
///
/// The closure is called for every request, at the same time for several. Credentials that expire are better left to
/// ``RefreshableTokenAuthorization``, which fetches one for all that wait.
///
/// It has no leading-dot factory: Swift 6.3 refuses a `@Sendable` closure in such a call where a generic parameter
/// (`authorize(using:)`) expects it.
public struct ClosureAuthorization: AuthorizationProvider, RedactedDescription {
    private let fields: @Sendable (any AuthorizableRequest) async throws -> [String: String]
    private let refusal: (@Sendable (UnauthorizedResponse) async throws -> Void)?

    /// - Parameters:
    ///   - onUnauthorized: told what a server said with a 401, or with a 403 for want of a scope. Returning means that asking
    ///     `fields` again is worth another try. Without it a 401 is final.
    ///   - fields: returns header fields by name for a request. What no header can hold is refused.
    public init(
        onUnauthorized: (@Sendable (UnauthorizedResponse) async throws -> Void)? = nil,
        fields: @escaping @Sendable (any AuthorizableRequest) async throws -> [String: String]
    ) {
        self.fields = fields
        refusal = onUnauthorized
    }

    /// - Parameters:
    ///   - field: the name of the one field to set.
    ///   - onUnauthorized: told what a server said with a 401, or with a 403 for want of a scope. Returning means that asking
    ///     `value` again is worth another try. Without it a 401 is final.
    ///   - value: returns the whole value of the field, for instance `Bearer …`.
    public init(
        field: String = "Authorization",
        onUnauthorized: (@Sendable (UnauthorizedResponse) async throws -> Void)? = nil,
        value: @escaping @Sendable () async throws -> String
    ) {
        self.init(onUnauthorized: onUnauthorized) { _ in [field: try await value()] }
    }

    /// Returns the request with the fields that the closure names.
    ///
    /// - Throws: what the closure throws; ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if
    ///   a name or a value cannot stand in a header, ``NotAuthorized/Reason/insecureTransport`` if the request is not
    ///   encrypted (the closure is not called then).
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try request.refusePlaintext()
        var authorized = request
        for (field, value) in try await fields(request) {
            try HeaderFieldName.check(field)
            try HeaderFieldValue.check(value)
            authorized.setCredential(value, in: field)
        }
        return authorized
    }

    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        guard let refusal else { throw NotAuthorized(.notRefreshable, challenge: response.challenges.first) }
        try await refusal(response)
    }

    public func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        for request: Request
    ) async throws {
        try await setNeedsRefreshAfterUnauthorizedResponse(UnauthorizedResponse(), for: request)
    }
}
