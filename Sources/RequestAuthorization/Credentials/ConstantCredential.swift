// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A header field that has been checked once: the content of all constant providers.
struct ConstantCredential: Sendable, RedactedDescription {
    private let field: String
    private let value: Result<String, NotAuthorized>

    /// - Parameter value: makes the value of the field, or throws an error for malformed parts.
    init(field: String = "Authorization", value: () throws(NotAuthorized) -> String) {
        self.field = field
        do throws(NotAuthorized) {
            try HeaderFieldName.check(field)
            let value = try value()
            try HeaderFieldValue.check(value)
            self.value = .success(value)
        } catch {
            self.value = .failure(error)
        }
    }

    /// - Throws: ``NotAuthorized`` for an unencrypted request or a malformed credential; the request is unchanged.
    func set(on request: inout some AuthorizableRequest) throws {
        try request.refusePlaintext()
        request.setCredential(try value.get(), in: field)
    }
}
