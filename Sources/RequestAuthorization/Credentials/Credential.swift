// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The header fields that authorize a request, and what their maker knows about them.
///
/// Names and values are checked when the credential is made. It prints the names of its fields only.
///
///     func credential(for request: some AuthorizableRequest) async throws -> Credential {
///         try await base.credential(for: request).adding(tenant, in: "X-Tenant")
///     }
///
/// A client of your own asks a provider for one, puts it on a request and asks what the answer means:
///
///     let credential = try await auth.credential(for: request)
///     try request.set(credential)
///     let response = try await client.run(request)
///     if try await credential.judge(response) != .accept { … }     // or simply: auth.send(request) { … }
public struct Credential: Sendable {
    @usableFromInline let contents: CredentialContents?
    /// Whether the credential may go over plain `http`.
    @usableFromInline var allowsPlaintext = false

    @usableFromInline init(_ contents: CredentialContents?) { self.contents = contents }

    /// No field: the request is sent as it is.
    public static let none = Credential(nil)

    /// Creates a credential of one field.
    ///
    /// - Parameters:
    ///   - value: the whole value of the field: visible ASCII with spaces and tabs inside.
    ///   - field: the name of the field.
    ///   - isForOneRequest: whether the value is valid for this method, target or body only, as a signature is. A redirect
    ///     within the origin then needs another credential.
    ///   - receipt: judges refusals; without one they count.
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if no header can hold the
    ///   name or the value. The error shows neither.
    public init(
        _ value: String, in field: String = "Authorization", isForOneRequest: Bool = false,
        receipt: (any CredentialReceipt)? = nil
    ) throws {
        contents = CredentialContents(
            try CredentialField(field, value), isForOneRequest: isForOneRequest, receipt: receipt)
    }

    /// Creates a credential of any number of fields. Without any, the request goes out as it is, and the receipt judges
    /// the answer.
    ///
    /// - Parameters:
    ///   - fields: values by name.
    ///   - isForOneRequest: whether they are valid for this method, target or body only, as a signature is.
    ///   - receipt: judges refusals; without one they count.
    /// - Throws: as ``init(_:in:isForOneRequest:receipt:)``, and if two names differ in the case of letters only.
    public init(
        _ fields: [String: String], isForOneRequest: Bool = false, receipt: (any CredentialReceipt)? = nil
    ) throws {
        self.init(checked: try CredentialField.checked(fields), isForOneRequest: isForOneRequest, receipt: receipt)
    }

    private init(checked fields: [CredentialField], isForOneRequest: Bool, receipt: (any CredentialReceipt)?) {
        if let first = fields.first {
            contents = CredentialContents(
                first, more: fields.dropFirst(), isForOneRequest: isForOneRequest, receipt: receipt)
        } else if isForOneRequest || receipt != nil {
            contents = CredentialContents(isForOneRequest: isForOneRequest, receipt: receipt)
        } else {
            contents = nil
        }
    }

    /// Returns a credential of the field `Authorization` with a bearer token (RFC 6750 §2.1).
    ///
    /// - Parameters:
    ///   - token: the token without `Bearer`.
    ///   - onRefusal: called after a 401, or a 403 that asks for something; says whether another credential may be
    ///     accepted. Without it a refusal counts.
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``.
    public static func bearer(
        _ token: String,
        onRefusal: (nonisolated(nonsending) @Sendable (UnauthorizedResponse) async throws -> Verdict)? = nil
    ) throws -> Credential {
        try check(bearerToken: token)
        return try Credential("Bearer \(token)", receipt: onRefusal.map { RefusalReceipt(onRefusal: $0) })
    }

    /// `b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="` (RFC 6750 §2.1).
    private static func check(bearerToken token: String) throws(NotAuthorized) {
        if token.isEmpty { throw NotAuthorized(.malformedCredential, detail: "the bearer token is empty") }
        let bytes = Array(token.utf8)
        let padding = bytes.firstIndex { !$0.isToken68Character } ?? bytes.endIndex
        let fault = padding == 0 ? 0 : bytes[padding...].firstIndex { $0 != UInt8(ascii: "=") }
        guard let fault else { return }
        throw NotAuthorized(
            .malformedCredential,
            detail: "the bearer token has \(HeaderFieldValue.name(of: bytes[fault])) at byte \(fault)"
                + ": pass only letters, digits, -._~+/ and trailing =, trimmed and without \"Bearer\"")
    }

    /// Returns a copy with one more field. A field of the same name is replaced.
    ///
    /// A request that was passed through (``OtherOrigins/passThrough``) gets none: the field is for the other origins.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``.
    public func adding(_ value: String, in field: String) throws -> Credential {
        let other = try Credential(value, in: field).allowing(plaintext: allowsPlaintext)
        return contents?.receipt is PassedThrough ? self : adding(other)
    }

    /// Returns a copy with the fields and the receipt of another credential too. It replaces fields of the same name.
    ///
    /// Plain `http` is allowed only if both allow it, or the one that has fields. To a request that was passed through
    /// (``OtherOrigins/passThrough``) the other's fields are added: restrict its provider too, if they are not for all
    /// origins.
    public func adding(_ other: Credential) -> Credential {
        guard let mine = contents, !(mine.receipt is PassedThrough) else { return other }
        guard let theirs = other.contents, !(theirs.receipt is PassedThrough) else { return self }
        let names = Set(theirs.fields.map(\.name.asciiLowercased))
        let fields = mine.fields.filter { !names.contains($0.name.asciiLowercased) } + theirs.fields
        let receipt: (any CredentialReceipt)? =
            if let first = mine.receipt, let second = theirs.receipt {
                ReceiptPair(first: first, second: second)
            } else {
                mine.receipt ?? theirs.receipt
            }
        let both = Credential(
            checked: fields, isForOneRequest: mine.isForOneRequest || theirs.isForOneRequest, receipt: receipt)
        return both.allowing(
            plaintext: (mine.name.isEmpty || allowsPlaintext) && (theirs.name.isEmpty || other.allowsPlaintext))
    }

    /// Without a field nothing is allowed: one that is added later needs a permission of its own.
    func allowing(plaintext isAllowed: Bool) -> Credential {
        var copy = self
        copy.allowsPlaintext = isAllowed && !isBare
        return copy
    }
}

// MARK: - What clients ask

extension Credential {
    /// The fields, for a client whose requests are not ``AuthorizableRequest``s. They must not go to another origin.
    public var fields: [(name: String, value: String)] { contents?.fields.map { ($0.name, $0.value) } ?? [] }

    /// Whether it is valid for one request only, as a signature is. Each redirect within the origin needs another one.
    public var isForOneRequest: Bool { contents?.isForOneRequest ?? false }

    /// Whether it is still the one that requests get. A client with a queue asks before it sends.
    public var isCurrent: Bool { contents?.receipt?.isCurrent ?? true }

    /// Whether ``judge(_:afterRefresh:)`` wants to see every answer, not only a 401 and a 403.
    @inlinable public var wantsEveryAnswer: Bool { contents?.wantsEveryAnswer ?? false }

    /// Says what an answer to a request with this credential means, and begins what is needed, for instance a refresh.
    ///
    /// Call it for each 401 and 403, and for every answer if ``wantsEveryAnswer``, redirects included. It does not wait
    /// for the next credential: release the answer first, then ask the provider and ``admit(_:)`` the next one.
    ///
    /// - Parameters:
    ///   - answer: an answer of the origin that received the credential.
    ///   - afterRefresh: whether this is the last answer of a call that was refused before. A young token is spared then,
    ///     so that an address that always answers 401 does not use up a token for each request.
    /// - Returns: what to do; ``Verdict/accept`` if a retry is pointless.
    /// - Throws: ``NotAuthorized`` with the answer's challenge if the session is over
    ///   (``NotAuthorized/isEndOfSession``); errors of a user's own judgement.
    public func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool = false) async throws -> Verdict {
        guard let receipt = contents?.receipt else { return .accept }
        do {
            return try await receipt.verdict(on: answer, afterRefresh: afterRefresh)
        } catch let error as NotAuthorized {
            throw error.asked(by: answer)
        }
    }

    /// Checks that the same call may go on with another credential: after a refusal, at a redirect, or after a queue.
    ///
    /// Call it on the credential that was sent last: the first may have had no session. The receipts are compared.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/sessionReplaced`` if that one is of another
    ///   session: the request is not sent in another person's name.
    public func admit(_ next: Credential) throws { try next.withdraw(unless: { try contents?.receipt?.admit(next) }) }

    /// No field, for a request of another origin. What is added to it stays away.
    static let passedThrough = withoutFields(receipt: PassedThrough())

    /// Whether it has no field.
    var isBare: Bool { contents?.name.isEmpty ?? true }

    /// A credential without fields: the request goes out as it is, and the receipt judges the answer.
    package static func withoutFields(receipt: any CredentialReceipt) -> Credential {
        Credential(CredentialContents(receipt: receipt))
    }

    /// Returns the same fields with another receipt, which forwards to this credential's.
    package func replacingReceipt(by receipt: any CredentialReceipt) -> Credential {
        Credential(checked: contents?.fields ?? [], isForOneRequest: isForOneRequest, receipt: receipt)
            .allowing(plaintext: allowsPlaintext)
    }

    /// The receipts of which it consists, for a provider that has wrapped another one's.
    package var receipts: [any CredentialReceipt] { contents?.receipt?.parts ?? [] }

    /// Whether a redirect within the origin may carry it on.
    package func mayGo(to request: some AuthorizableRequest) -> Bool {
        receipts.allSatisfy { ($0 as? any BoundReceipt)?.mayGo(to: request) ?? true }
    }

    /// Whether both are one and the same object, as for the requests of one held token.
    package func isIdentical(to other: Credential) -> Bool { contents != nil && contents === other.contents }

    /// The names of the fields in lower case.
    package var names: Set<String> { Set(fields.map(\.name.asciiLowercased)) }

    /// Whether it has no field but `Authorization`, as most have. Clients that know this need not look at the names.
    package var isUsual: Bool { contents.map { $0.more.isEmpty && $0.name == "Authorization" } ?? true }

    /// Tells the maker of its proof, if there is one, that no answer will be shown: it is not sent, or the client shows
    /// refusals only. Otherwise others might wait for the answer.
    @usableFromInline package func withdraw(isSent: Bool = false) {
        guard wantsEveryAnswer else { return }
        for receipt in receipts {
            (receipt as? any ProvenReceipt)?.withdraw(isSent: isSent)
            (receipt as? any BoundReceipt)?.base?.withdraw(isSent: isSent)
        }
    }

    package var isProven: Bool {
        receipts.contains { $0 is any ProvenReceipt || ($0 as? any BoundReceipt)?.base?.isProven == true }
    }

    /// Does the same for a request that was not refused, so that no retry is reported.
    package func allowsToGoOn(with next: Credential) throws {
        try next.withdraw {
            for receipt in receipts {
                guard let session = receipt as? any SessionReceipt else { try receipt.admit(next); continue }
                try session.checkSession(of: next)
            }
        }
    }

    /// Withdraws it if it must not be sent.
    private func withdraw(unless check: () throws -> Void) throws {
        do { try check() } catch {
            withdraw()
            throw error
        }
    }
}

extension AuthorizableRequest {
    /// Puts a credential on this request.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/insecureTransport`` if others on the network
    ///   could read the request. It is unchanged then.
    @inlinable public mutating func set(_ credential: Credential) throws {
        guard let contents = credential.contents, !contents.name.isEmpty else { return }
        if !credential.allowsPlaintext, isPlaintext { try refusePlaintext() }
        setCredential(contents.value, in: contents.name)
        // A loop alone would cost as much as the field.
        guard !contents.more.isEmpty else { return }
        for field in contents.more { setCredential(field.value, in: field.name) }
    }
}

extension Credential: OwnDescription {
    /// The names of the fields.
    @usableFromInline package var ownDescription: String { "Credential(\(fields.map(\.name).joined(separator: ", ")))" }
}

/// Marks the credential of a request that a provider passed through. No answer to it means anything.
private struct PassedThrough: CredentialReceipt {
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .accept }
}
