// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Reads the textual encoding of keys (RFC 7468).
enum PEM {
    /// Reads the first private key of a text, and skips other blocks, such as curve parameters.
    ///
    /// - Returns: the label without `PRIVATE KEY`, and the decoded contents.
    static func privateKey(in text: String) throws(SigningKeyError) -> (kind: String, der: [UInt8]) {
        var label: String?
        var body = ""
        var sawOther = false
        for line in text.split(whereSeparator: \.isNewline).map({ $0.filter { !$0.isWhitespace || $0 == " " } }) {
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                (label, body) = (String(line.dropFirst(11).dropLast(5)), "")
            } else if let open = label, line == "-----END \(open)-----" {
                if open.hasSuffix("PRIVATE KEY") { return (try kind(of: open), try bytes(of: body)) }
                (label, sawOther) = (nil, true)
            } else if label != nil {
                // A header of the older, encrypted form, such as `Proc-Type: 4,ENCRYPTED`.
                if line.contains(":") { throw SigningKeyError(.encrypted) }
                body += line
            }
        }
        throw SigningKeyError(sawOther ? .notPrivate : .notPEM)
    }

    private static func kind(of label: String) throws(SigningKeyError) -> String {
        let kind = label.dropLast("PRIVATE KEY".count).split(separator: " ").joined(separator: " ")
        if kind == "ENCRYPTED" { throw SigningKeyError(.encrypted) }
        return kind
    }

    private static func bytes(of body: String) throws(SigningKeyError) -> [UInt8] {
        guard let data = Data(base64Encoded: body.filter { $0 != " " }), !data.isEmpty else {
            throw SigningKeyError(
                .malformed, detail: "the text between its first and last line is not Base64; pass the file unchanged")
        }
        return Array(data)
    }
}
