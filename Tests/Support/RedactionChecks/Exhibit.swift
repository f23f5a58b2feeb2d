// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value of a public type, with the secret in every place that can hold it.
package struct Exhibit {
    /// The declared name, for instance `TokenStoreError.Kind`.
    package let type: String
    package let value: Any

    package init(_ type: String, _ value: Any) { (self.type, self.value) = (type, value) }

    /// The channels that show the secret. Must be empty.
    package var leaks: [String] {
        Channel.allCases.filter { Secret.isPart(of: $0.text(of: value)) }.map { "\(type): \($0)" }
    }
}
