// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a constant value in a header field of your choice: an API key.
///
///     try await request.authorize(using: .header("X-API-Key", key))
public struct HeaderAuthorization: ConstantAuthorization, RedactedDescription {
    @usableFromInline let constant: ConstantCredential

    package init(field: String, value: String) {
        constant = ConstantCredential { try Credential(value, in: field) }
    }
}

extension AuthorizationProvider where Self == HeaderAuthorization {
    /// A constant value in a header field, for instance an API key.
    ///
    /// Name and value are checked here. If no header can hold them, each request throws ``NotAuthorized`` with the
    /// reason ``NotAuthorized/Reason/malformedCredential``.
    ///
    /// - Parameters:
    ///   - field: the name of the field.
    ///   - value: visible ASCII, with spaces and tabs inside.
    public static func header(_ field: String, _ value: String) -> HeaderAuthorization {
        HeaderAuthorization(field: field, value: value)
    }
}
