// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A header field that was checked once, ready to be set: what all constant providers hold.
struct ConstantCredential: Sendable, RedactedDescription {
    private let field: String
    private let value: Result<String, NotAuthorized>

    /// - Parameter value: makes the value of the field, or throws what is wrong with what it is made from.
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

    /// Sets the field.
    ///
    /// - Throws: ``NotAuthorized`` for plaintext, and for a malformed credential; the request is unchanged.
    func set(on request: inout some AuthorizableRequest) throws(NotAuthorized) {
        try request.refusePlaintext()
        request.setCredential(try value.get(), in: field)
    }
}
