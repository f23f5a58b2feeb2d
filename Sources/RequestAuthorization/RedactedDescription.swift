// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Prints without secrets: in `print`, `dump`, string interpolation and the debugger.
///
/// Every type of this package conforms that holds a secret, a user's error, or a user's own provider that may hold one.
/// Without a description of its own it prints as `TypeName([redacted])`.
@usableFromInline
package protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedDescription {
    public var description: String { "\(Self.self)([redacted])" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The same, with a text of its own that has no secrets. Its one public property is the `description`.
@usableFromInline
package protocol OwnDescription: RedactedDescription {
    var ownDescription: String { get }
}

extension OwnDescription {
    public var description: String { ownDescription }
}
