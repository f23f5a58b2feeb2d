// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the textual encoding of keys (RFC 7468), also in the forms in which settings and editors leave it.
///
/// The ends of lines may be of any kind, blanks, missing, or escaped as `\n`. Lines may be indented and end in blanks. The
/// text may have a byte order mark, stand in quotes, and have other text around it.
enum PEM {
    /// Reads the first private key of a text, and skips other blocks, such as curve parameters.
    ///
    /// - Returns: the label without `PRIVATE KEY` and blanks, and the decoded contents.
    static func privateKey(in text: String) throws(SigningKeyError) -> (kind: String, der: [UInt8]) {
        let bytes = plain(text)
        var (rest, sawBegin, sawOther) = (bytes[...], false, false)
        while let label = rest.cut(after: "-----BEGIN", before: "-----") {
            sawBegin = true
            guard let body = rest.prefix(before: "-----END") else { break }
            // The block has no end if the next one begins in it.
            if body.prefix(before: "-----BEGIN") != nil { continue }
            let end = rest.cut(after: "-----END", before: "-----")
            let name = compact(label)
            if name.hasSuffix("PRIVATEKEY") { return try key(name, body, endName: end.map(compact)) }
            sawOther = true
        }
        if sawOther { throw SigningKeyError(.notPrivate) }
        throw SigningKeyError(.notPEM, detail: sawBegin ? cutAdvice : advice(compact(bytes[...])))
    }

    // MARK: -

    private static func key(
        _ name: String, _ body: ArraySlice<UInt8>, endName: String?
    ) throws(SigningKeyError) -> (kind: String, der: [UInt8]) {
        guard name == endName else {
            throw SigningKeyError(
                .malformed, detail: "its last line does not fit its first one; copy the key again, with all lines")
        }
        let kind = String(name.dropLast("PRIVATEKEY".count))
        // A header of the older, encrypted form, such as `Proc-Type: 4,ENCRYPTED`.
        if kind == "ENCRYPTED" || body.contains(UInt8(ascii: ":")) { throw SigningKeyError(.encrypted) }
        return (kind, try decoded(body))
    }

    /// The text in ASCII: any white space, an escaped line end and invisible characters are blanks.
    private static func plain(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            let isLineEnd = isEscaped && ["n", "r", "t"].contains(scalar)
            isEscaped = scalar == "\\"
            let isBlank = isEscaped || isLineEnd || scalar.properties.isWhitespace || invisible.contains(scalar)
            bytes.append(isBlank ? UInt8(ascii: " ") : scalar.isASCII ? UInt8(scalar.value) : 0xFF)
        }
        return bytes
    }

    /// The byte order mark, and others that copying from a page adds.
    private static let invisible: Set<Unicode.Scalar> = [
        "\u{FEFF}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{AD}",
    ]

    /// A text without blanks and quotes.
    private static func compact(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.filter { !" \"'`".utf8.contains($0) }, as: UTF8.self)
    }

    private static func decoded(_ body: ArraySlice<UInt8>) throws(SigningKeyError) -> [UInt8] {
        let digits = compact(body).filter { $0 != "=" }
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: digits + padding), !data.isEmpty else {
            throw SigningKeyError(
                .malformed, detail: "the text between its first and last line is not Base64; copy the key again")
        }
        return Array(data)
    }

    private static let cutAdvice =
        "it has no last line, -----END …-----; a setting may have kept the first line only, so pass all lines"

    /// What to do with a text that has no first line; `nil` for the advice that fits any text.
    private static func advice(_ text: String) -> String? {
        if text.isEmpty { return "the text is empty; check where it comes from" }
        if text.hasPrefix("{") { return "the text is JSON; pass a JWK as jwk" }
        if text.hasPrefix("LS0tLS1CRUdJTi") { return "the text is Base64 of a PEM file; decode it first" }
        if [".pem", ".key", ".p8"].contains(where: text.hasSuffix) {
            return "the text is the name of a file; pass what the file contains"
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The bytes before a text; `nil` if the text is not there.
    fileprivate func prefix(before text: String) -> ArraySlice<UInt8>? {
        firstRange(of: text.utf8).map { self[..<$0.lowerBound] }
    }

    /// Removes all up to the end of the second text, and returns what is between the two; `nil` if they are not there.
    fileprivate mutating func cut(after opening: String, before closing: String) -> ArraySlice<UInt8>? {
        guard let opening = firstRange(of: opening.utf8) else { return nil }
        let rest = self[opening.upperBound...]
        guard let closing = rest.firstRange(of: closing.utf8) else { return nil }
        self = rest[closing.upperBound...]
        return rest[..<closing.lowerBound]
    }
}
