// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The parameters of a query or of a form, decoded.
struct Parameters: Hashable, Sendable {
    private(set) var values: [String: String] = [:]
    /// The repeated names. Where repetition is allowed, the first value counts.
    private(set) var repeated: Set<String> = []

    var hasRepetition: Bool { !repeated.isEmpty }

    init() {}

    /// Decodes `application/x-www-form-urlencoded`.
    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.decode)
            guard let name = parts[0] else { continue }
            if values[name] != nil {
                repeated.insert(name)
            } else {
                values[name] = parts.count == 2 ? parts[1] : ""
            }
        }
    }

    /// RFC 6749 §3.1: a parameter without a value counts as absent.
    subscript(name: String) -> String? {
        get { values[name].flatMap { $0.isEmpty ? nil : $0 } }
        set { values[name] = newValue }
    }

    /// Returns a parameter that is not repeated.
    func single(_ name: String) -> String? { repeated.contains(name) ? nil : self[name] }

    static func decode(_ text: some StringProtocol) -> String? {
        text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}
