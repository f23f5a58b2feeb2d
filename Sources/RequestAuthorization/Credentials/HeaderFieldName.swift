// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks the names of header fields.
package enum HeaderFieldName {
    /// Accepts a `token` (RFC 9110 §5.1).
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``. Its text does not
    ///   contain the name, which may be a misplaced value.
    package static func check(_ name: String) throws(NotAuthorized) {
        if name.isEmpty { throw NotAuthorized(.malformedCredential, detail: "the name of the header field is empty") }
        guard let position = Array(name.utf8).firstIndex(where: { !$0.isTokenCharacter }) else { return }
        throw NotAuthorized(
            .malformedCredential,
            detail: "the name of the header field has a character at byte \(position) that is not allowed in names")
    }
}
