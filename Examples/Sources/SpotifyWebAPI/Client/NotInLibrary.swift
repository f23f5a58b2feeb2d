// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A URI that the library cannot hold, or not in this quota mode.
public struct NotInLibrary: Error, Hashable, Sendable, CustomStringConvertible {
    /// The URI's kind, for instance `genre`.
    public let kind: String

    public var description: String { "the library takes no \(kind.isEmpty ? "such URI" : kind): pass tracks or albums" }
}
