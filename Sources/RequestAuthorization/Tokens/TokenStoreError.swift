// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A failure of a token store. It does not end the session.
///
///     catch let failed as RefreshFailed {
///         if let error = failed.underlying as? TokenStoreError, error.kind == .noSpace { … }
///     }
///
/// The provider continues with the token in memory and tries again.
public struct TokenStoreError: Error, Sendable {
    /// The reason for the failure. Its description is a short label without secrets, for metrics.
    public struct Kind: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The store cannot be reached now, for instance a locked keychain or a lost connection.
        public static let unavailable = Kind(label: "unavailable")
        /// The stored item is damaged. It was set aside if the store can do that. A provider that holds the token goes on
        /// with it and saves it again.
        public static let corrupt = Kind(label: "corrupt")
        /// The stored item is complete, but of another format or for another type of token. It stays where it is.
        public static let unreadable = Kind(label: "unreadable")
        /// The stored item was encrypted with another key.
        public static let wrongKey = Kind(label: "wrong key")
        /// Another user owns the store, or could read or replace it.
        public static let notPrivate = Kind(label: "not private")
        /// The disk or the quota is full.
        public static let noSpace = Kind(label: "no space")
        /// The store is read-only.
        public static let readOnly = Kind(label: "read-only")
        /// The store did not answer in time, or another process kept its exclusive access.
        public static let timedOut = Kind(label: "timed out")
        /// The store cannot be used here; choose another store.
        public static let unsuitable = Kind(label: "unsuitable")
        /// Any other failure, for instance an error of the disk.
        public static let failed = Kind(label: "failed")
    }

    public let kind: Kind

    /// What happened and what to do, in one sentence without secrets.
    public let detail: String

    /// The error that caused this one, if any. It is not part of the description.
    public let underlying: (any Error)?

    /// Whether the store has refused a token because its session is over. It is not tried again.
    package var isOfEndedSession = false

    /// Creates the error of a store.
    ///
    /// - Parameters:
    ///   - kind: the reason for the failure.
    ///   - detail: what happened and what to do. It is printed, so it must not hold a secret.
    ///   - underlying: the error that caused this one.
    public init(_ kind: Kind, _ detail: String, underlying: (any Error)? = nil) {
        (self.kind, self.detail, self.underlying) = (kind, detail, underlying)
    }
}

extension TokenStoreError: OwnDescription {
    @usableFromInline package var ownDescription: String { "token store \(kind): \(detail)" }
}
