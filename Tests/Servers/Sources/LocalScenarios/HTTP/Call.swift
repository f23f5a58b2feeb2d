// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// A request to a server of a scenario.
struct Call: Sendable {
    var role: Role
    var method: String
    var path: String
    var query = Parameters("")
    /// By their names in lower case.
    var fields: [String: String] = [:]
    var body = Data()

    var form: Parameters? {
        guard method == "POST",
            fields["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { return nil }
        return Parameters(String(decoding: body, as: UTF8.self))
    }

    /// The members of a body in JSON.
    var object: [String: Any]? { try? JSONSerialization.jsonObject(with: body) as? [String: Any] }
}

/// The parameters of a query or a form, decoded.
struct Parameters: Sendable {
    private(set) var values: [String: String] = [:]
    private(set) var repeated: Set<String> = []

    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.decode)
            guard let name = parts[0], let value = parts.count == 2 ? parts[1] : "" else { continue }
            if values[name] != nil { repeated.insert(name) }
            values[name] = value
        }
    }

    /// RFC 6749 §3.1: a parameter without a value counts as absent.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    var scopes: Set<String> { Set((self["scope"] ?? "").split(separator: " ").map(String.init)) }

    static func decode(_ text: some StringProtocol) -> String? {
        text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}
#endif
