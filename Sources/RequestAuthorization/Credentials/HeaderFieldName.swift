// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Says whether a text may be the name of a header field.
package enum HeaderFieldName {
    /// Lets through a `token` (RFC 9110 §5.1).
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential``; the name is not repeated, as
    ///   it may be a value in the wrong place.
    package static func check(_ name: String) throws(NotAuthorized) {
        if name.isEmpty { throw NotAuthorized(.malformedCredential, detail: "the name of the header field is empty") }
        guard let position = Array(name.utf8).firstIndex(where: { !$0.isTokenCharacter }) else { return }
        throw NotAuthorized(
            .malformedCredential,
            detail: "the name of the header field has a character at byte \(position) that no such name has")
    }
}
