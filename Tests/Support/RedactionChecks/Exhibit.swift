// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value of a public type that was made to hold the secret wherever it can.
package struct Exhibit {
    /// As it is declared, for instance `TokenStoreError.Kind`.
    package let type: String
    package let value: Any

    package init(_ type: String, _ value: Any) { (self.type, self.value) = (type, value) }

    /// The ways in which it shows the secret: none, if all is well.
    package var leaks: [String] {
        Channel.allCases.filter { Secret.isPart(of: $0.text(of: value)) }.map { "\(type): \($0)" }
    }
}
