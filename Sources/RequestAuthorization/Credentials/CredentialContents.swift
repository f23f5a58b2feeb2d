// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The contents of a ``Credential``. A held token is one itself, so that its credential costs no allocation.
///
/// `@unchecked Sendable` is safe: all properties are constants of `Sendable` types, also those of the subclasses.
@usableFromInline class CredentialContents: @unchecked Sendable, RedactedDescription {
    @usableFromInline final let name: String
    @usableFromInline final let value: String
    /// The fields after the first one.
    @usableFromInline final let more: [CredentialField]
    private final let ownReceipt: (any CredentialReceipt)?
    // The last ones, beside those of a held token: each token would keep eight bytes more.
    @usableFromInline final let wantsEveryAnswer: Bool
    final let isForOneRequest: Bool

    /// - Parameter field: without any, the request goes out as it is, and the receipt judges the answer.
    init(
        _ field: CredentialField = CredentialField(unchecked: "", ""), more: some Sequence<CredentialField> = [],
        isForOneRequest: Bool = false, receipt: (any CredentialReceipt)?
    ) {
        (name, value, self.more) = (field.name, field.value, Array(more))
        (self.isForOneRequest, ownReceipt) = (isForOneRequest, receipt)
        wantsEveryAnswer = receipt?.wantsEveryAnswer ?? false
    }

    /// What the maker knows of it.
    var receipt: (any CredentialReceipt)? { ownReceipt }

    final var fields: [CredentialField] { name.isEmpty ? [] : [CredentialField(unchecked: name, value)] + more }
}

/// A header field that was checked.
@usableFromInline struct CredentialField: Sendable, RedactedDescription {
    @usableFromInline let name: String
    @usableFromInline let value: String

    init(_ name: String, _ value: String) throws {
        // The common case needs no check of the name.
        if name != "Authorization" { try HeaderFieldName.check(name) }
        try HeaderFieldValue.check(value)
        self.init(unchecked: name, value)
    }

    init(unchecked name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Checks values by name. Requests keep one value of a name, and a dictionary has no order that would say which.
    static func checked(_ fields: [String: String]) throws -> [CredentialField] {
        let checked = try fields.map { try CredentialField($0.key, $0.value) }
        guard checked.count < 2 || Set(checked.map(\.name.asciiLowercased)).count == checked.count else {
            throw NotAuthorized(
                .malformedCredential, detail: "two names of header fields differ in the case of letters only: keep one")
        }
        return checked
    }
}

/// A credential that is made once and always the same, or the reason why it must not be sent.
@usableFromInline struct ConstantCredential: Sendable, RedactedDescription {
    private let credential: Credential
    private let fault: NotAuthorized?

    /// - Parameter make: makes the credential, or throws an error for malformed parts.
    init(_ make: () throws -> Credential) {
        do {
            credential = try make()
            fault = nil
        } catch {
            credential = .none
            fault = error as? NotAuthorized ?? NotAuthorized(.malformedCredential)
        }
    }

    /// - Throws: ``NotAuthorized`` for an unencrypted request or a malformed credential.
    func get(for request: some AuthorizableRequest) throws -> Credential {
        guard let fault else { return credential }
        try request.refusePlaintext()
        throw fault
    }
}
