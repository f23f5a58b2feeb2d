// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Asks a closure for the credential of each request: for code that already keeps credentials or signs requests.
///
///     // one field, Authorization unless named
///     let vault = ClosureAuthorization(field: "X-API-Key") { try await vault.currentKey() }
///
///     // any number of fields, made from the request
///     let signed = ClosureAuthorization { request in
///         ["X-Signature": try signer.sign(request.requestMethod, request.targetURI)]
///     }
///
/// The closure is called for every request, possibly for several at the same time. For credentials that expire use
/// ``RefreshableTokenAuthorization``, which fetches one for all waiting requests.
///
/// It has no leading-dot factory: Swift 6.3 refuses a `@Sendable` closure there if a generic parameter
/// (`authorize(using:)`) expects it.
public struct ClosureAuthorization: AuthorizationProvider, RedactedDescription {
    private let fields: @Sendable (any AuthorizableRequest) async throws -> [String: String]
    private let refusal: (@Sendable (UnauthorizedResponse) async throws -> Void)?
    /// Whether the fields are for one request only. A redirect then needs others.
    private let dependsOnRequest: Bool

    /// Creates a provider of any number of fields, which may depend on the request.
    ///
    /// A redirect within the origin is a request of its own: where the client allows it, `fields` is called for it too.
    ///
    /// - Parameters:
    ///   - onUnauthorized: called after a 401, or a 403 for a missing scope, also if the request had no field. If it
    ///     returns, `fields` is called again for a retry. Without it a 401 is final. Of the answer's fields it sees those
    ///     that an ``UnauthorizedResponse`` keeps.
    ///   - fields: returns header fields by name for a request; none if it goes out as it is. Names and values that no
    ///     header can hold are refused, and so are two names that differ in the case of letters only.
    public init(
        onUnauthorized: (nonisolated(nonsending) @Sendable (UnauthorizedResponse) async throws -> Void)? = nil,
        fields: nonisolated(nonsending) @escaping @Sendable (any AuthorizableRequest) async throws -> [String: String]
    ) {
        (self.fields, refusal, dependsOnRequest) = (fields, onUnauthorized, true)
    }

    /// Creates a provider of one field, which does not depend on the request.
    ///
    /// - Parameters:
    ///   - field: the name of the field.
    ///   - onUnauthorized: called after a 401, or a 403 for a missing scope. If it returns, `value` is called again for
    ///     a retry. Without it a 401 is final. Of the answer's fields it sees those that an ``UnauthorizedResponse`` keeps.
    ///   - value: returns the whole value of the field, for instance `Bearer …`.
    public init(
        field: String = "Authorization",
        onUnauthorized: (nonisolated(nonsending) @Sendable (UnauthorizedResponse) async throws -> Void)? = nil,
        value: nonisolated(nonsending) @escaping @Sendable () async throws -> String
    ) {
        (refusal, dependsOnRequest) = (onUnauthorized, false)
        fields = { _ in [field: try await value()] }
    }

    /// Returns the fields that the closure returns.
    ///
    /// - Throws: what the closure throws; ``NotAuthorized`` with the reason
    ///   ``NotAuthorized/Reason/malformedCredential`` if no header can hold a name or a value,
    ///   ``NotAuthorized/Reason/insecureTransport`` if the request is not encrypted (then the closure is not called).
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try request.refusePlaintext()
        return try Credential(
            try await fields(request), isForOneRequest: dependsOnRequest,
            receipt: refusal.map { refusal in
                RefusalReceipt { response in
                    try await refusal(response)
                    return .anew
                }
            })
    }
}

extension ClosureAuthorization: RefusalListener {
    package func note(_ refusal: UnauthorizedResponse, of request: some AuthorizableRequest) async throws {
        guard let onRefusal = self.refusal, !refusal.asksForProofOnly else {
            throw NotAuthorized.pointless(after: refusal)
        }
        try await onRefusal(refusal)
    }
}
