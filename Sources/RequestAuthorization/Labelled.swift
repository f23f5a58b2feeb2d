// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value that prints as its label, such as the reason of an error, a scope or a folder.
@usableFromInline
package protocol Labelled: CustomStringConvertible {
    /// A short text without secrets, for logs and metrics.
    var label: String { get }
}

extension Labelled {
    public var description: String { label }
}
