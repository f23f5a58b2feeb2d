// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant value in a header field of your choice: an API key.
///
///     try await request.authorize(using: .header("X-API-Key", key))
public struct HeaderAuthorization: AuthorizationProvider, SynchronousAuthorization, RedactedDescription {
    private let credential: ConstantCredential
    private let fields: Set<String>

    /// Creates a provider of one value.
    ///
    /// - Parameters:
    ///   - field: the name of the field.
    ///   - value: visible ASCII, with spaces and tabs inside. Both are checked here; ``authorize(_:)`` throws the error.
    public init(field: String, value: String) {
        credential = ConstantCredential(field: field) { value }
        fields = [field.asciiLowercased]
    }

    /// Returns the request with the field set.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if no header can hold
    ///   the name or the value, ``NotAuthorized/Reason/insecureTransport`` if the request is not encrypted.
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        try credential.set(on: &request)
        return request
    }

    package func credentialFields(for request: some AuthorizableRequest) -> Set<String>? { fields }

    package func authorizeAtOnce<Request: AuthorizableRequest>(_ request: inout Request) throws -> Bool {
        try credential.set(on: &request)
        return true
    }
}

extension AuthorizationProvider where Self == HeaderAuthorization {
    /// A constant value in a header field, for instance an API key; see ``HeaderAuthorization/init(field:value:)``.
    public static func header(_ field: String, _ value: String) -> HeaderAuthorization {
        HeaderAuthorization(field: field, value: value)
    }
}
