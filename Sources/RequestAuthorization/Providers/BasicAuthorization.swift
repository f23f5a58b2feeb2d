// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a user name and a password (RFC 7617), encoded as UTF-8.
///
///     try await request.authorize(using: .basic(username: "ada", password: password))
///
/// Both are sent as given. A server may expect letters with accents in composed form (NFC, RFC 7617 §2.1).
public struct BasicAuthorization: ConstantAuthorization, RedactedDescription {
    @usableFromInline let constant: ConstantCredential

    package init(username: String, password: String) {
        constant = ConstantCredential {
            if let position = username.utf8.firstOffset(where: { $0 == UInt8(ascii: ":") }) {
                throw NotAuthorized(
                    .malformedCredential,
                    detail: "the user name has a colon at byte \(position): Basic allows none (RFC 7617 §2)")
            }
            try Self.checkControls(username, of: "user name")
            try Self.checkControls(password, of: "password")
            return try Credential("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
        }
    }
}

extension AuthorizationProvider where Self == BasicAuthorization {
    /// A user name and a password, sent with each request.
    ///
    /// Both are checked here. If one cannot be sent, each request throws ``NotAuthorized`` with the reason
    /// ``NotAuthorized/Reason/malformedCredential``.
    ///
    /// - Parameters:
    ///   - username: without a colon, which would end it, and without control characters. May be empty.
    ///   - password: without control characters. May be empty.
    public static func basic(username: String, password: String) -> BasicAuthorization {
        BasicAuthorization(username: username, password: password)
    }
}

// MARK: - Syntax

extension BasicAuthorization {
    /// "The user-id and password MUST NOT contain any control characters" (RFC 7617 §2).
    private static func checkControls(_ text: String, of part: String) throws(NotAuthorized) {
        guard let position = text.utf8.firstOffset(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        throw NotAuthorized(
            .malformedCredential, detail: "the \(part) has a control character at byte \(position): trim it")
    }
}

extension String.UTF8View {
    fileprivate func firstOffset(where isSought: (UInt8) -> Bool) -> Int? {
        firstIndex(where: isSought).map { distance(from: startIndex, to: $0) }
    }
}
