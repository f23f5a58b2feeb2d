// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant value in a header field of your choice: an API key.
///
///     try await request.authorize(using: .header("X-API-Key", key))
public struct HeaderAuthorization: AuthorizationProvider, RedactedDescription {
    private let credential: ConstantCredential

    /// Creates a provider of one value.
    ///
    /// - Parameters:
    ///   - field: the name of the field.
    ///   - value: visible ASCII, with spaces and tabs inside. Both are checked here; ``credential(for:)`` throws the error.
    public init(field: String, value: String) {
        credential = ConstantCredential(field: field) { value }
    }

    /// Returns the field.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if no header can hold
    ///   the name or the value.
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try credential.get(for: request)
    }

    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        try credential.get(for: request)
    }
}

extension AuthorizationProvider where Self == HeaderAuthorization {
    /// A constant value in a header field, for instance an API key; see ``HeaderAuthorization/init(field:value:)``.
    public static func header(_ field: String, _ value: String) -> HeaderAuthorization {
        HeaderAuthorization(field: field, value: value)
    }
}
