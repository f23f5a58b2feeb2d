// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Finds credentials in the printed forms of a value.
enum Leak {
    /// Requires that no printed form of a value shows a credential.
    static func check(_ value: Any, for headerValues: some Sequence<String>) throws(CheckProblem) {
        if let face = find(headerValues, in: value) { throw CheckProblem("its \(face) shows the credential") }
    }

    /// The printed form of a value that shows a credential; `nil` if none does.
    static func find(_ headerValues: some Sequence<String>, in value: Any) -> String? {
        let secrets = headerValues.flatMap(secrets)
        var dumped = ""
        dump(value, to: &dumped)
        let faces = [
            ("description", String(describing: value)), ("debugDescription", String(reflecting: value)),
            ("dump", dumped),
        ]
        return faces.first { _, text in secrets.contains { text.contains($0) } }?.0
    }

    /// The header value, the credential after its scheme, and the password of a Basic credential (RFC 7617).
    ///
    /// Texts of fewer than 6 bytes are omitted, because ordinary words contain them.
    private static func secrets(in headerValue: String) -> [String] {
        let parts = headerValue.split(separator: " ", maxSplits: 1).map(String.init)
        var secrets: [String] = [headerValue] + parts.dropFirst()
        if parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: parts[1]) {
            let pair = String(decoding: data, as: UTF8.self)
            secrets += pair.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
        }
        return secrets.filter { $0.utf8.count >= 6 }
    }
}
