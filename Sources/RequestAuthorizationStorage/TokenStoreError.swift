// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token store could not do what it was asked; nobody is signed out by that.
///
///     catch let failed as RefreshFailed {
///         if let error = failed.underlying as? TokenStoreError, error.kind == .noSpace { … }
///     }
///
/// The provider goes on with the token in its memory and tries again.
public struct TokenStoreError: Error, Sendable {
    /// What went wrong.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// It cannot be reached now: a locked keychain, no connection.
        public static let unavailable = Kind(description: "unavailable")
        /// What is kept is damaged. It was set aside if the store can do that.
        public static let corrupt = Kind(description: "corrupt")
        /// What is kept is whole, but of another format or for another type of token. It stays where it is.
        public static let unreadable = Kind(description: "unreadable")
        /// What is kept was sealed with another key.
        public static let wrongKey = Kind(description: "wrong key")
        /// Somebody else owns it, or could read or exchange it.
        public static let notPrivate = Kind(description: "not private")
        /// The disk or the quota is full.
        public static let noSpace = Kind(description: "no space")
        /// It must not be written to.
        public static let readOnly = Kind(description: "read-only")
        /// It did not answer in time, or another process kept its exclusive access.
        public static let timedOut = Kind(description: "timed out")
        /// It cannot be used for this: another store is needed.
        public static let unsuitable = Kind(description: "unsuitable")
        /// Anything else, for instance an error of the disk.
        public static let failed = Kind(description: "failed")
    }

    public let kind: Kind

    /// What happened and what to do, in a sentence; never a secret.
    public let detail: String

    /// What was thrown below, if anything. It is not printed here.
    public let underlying: (any Error)?

    /// - Parameters:
    ///   - kind: what went wrong.
    ///   - detail: what happened and what to do; it is printed, so no secret.
    ///   - underlying: what was thrown below.
    public init(_ kind: Kind, _ detail: String, underlying: (any Error)? = nil) {
        self.kind = kind
        self.detail = detail
        self.underlying = underlying
    }
}

extension TokenStoreError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "token store \(kind): \(detail)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.description]) }
}
