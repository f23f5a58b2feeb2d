// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Parameters of a request, in order, none of them twice (RFC 6749 §3.1, §3.2): the first one stays.
///
/// `resource` and `audience` may come several times (RFC 8707 §2, RFC 8693 §2.1), if the same source says them.
package struct FormParameters: Sendable {
    package private(set) var list: [(name: String, value: String)] = []

    package init(_ parameters: [(name: String, value: String)] = []) { add(parameters) }

    /// Adds what is not there yet.
    package mutating func add(_ parameters: [(name: String, value: String)]) {
        let names = Set(list.map(\.name))
        for parameter in parameters where !names.contains(parameter.name) && mayAdd(parameter) {
            list.append(parameter)
        }
    }

    /// Adds what a user of the library wants to say besides. What the library itself may say, in this request or in another,
    /// is not his to say: a second way of authentication, or a state of his own.
    package mutating func add(extra parameters: [String: String]) {
        let ours = Self.ours
        add(
            parameters.sorted { $0.key < $1.key }.filter { !ours.contains($0.key) }.map {
                (name: $0.key, value: $0.value)
            })
    }

    // MARK: -

    /// Among those that are added at a time.
    private func mayAdd(_ parameter: (name: String, value: String)) -> Bool {
        Self.repeatable.contains(parameter.name)
            ? !list.contains { $0 == parameter } : !list.contains { $0.name == parameter.name }
    }

    private static let repeatable: Set = ["resource", "audience"]

    private static let ours: Set = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type", "grant_type", "response_type",
        "response_mode", "redirect_uri", "scope", "state", "code", "code_verifier", "code_challenge",
        "code_challenge_method", "refresh_token", "device_code", "token", "token_type_hint", "request_uri",
    ]
}
