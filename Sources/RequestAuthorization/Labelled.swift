// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value of a set that may grow, such as the reason of an error. It prints as its label.
@usableFromInline
package protocol Labelled: CustomStringConvertible {
    /// A short label without secrets, for logs and metrics.
    var label: String { get }
}

extension Labelled {
    public var description: String { label }
}
