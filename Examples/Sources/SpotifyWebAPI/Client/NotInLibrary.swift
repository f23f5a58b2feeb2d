// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A URI of a kind that the library cannot hold, or not in this quota mode.
public struct NotInLibrary: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the URI, for instance `genre`.
    public let kind: String

    public var description: String {
        "the library cannot hold \(kind.isEmpty ? "this URI" : "the kind \(kind)"): pass tracks or albums"
    }
}
