// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import RequestAuthorization

/// An item that several processes use at a time.
///
/// A typed store on it, with a ``SharedItemTokenStore``, is a `SharedTokenStore`: its processes refresh a rotating token once.
public protocol SharedTokenItemStore: TokenItemStore {
    /// Takes exclusive access for a whole refresh, waiting for a sibling that has it. Saving does not need it.
    ///
    /// - Parameter limit: how long to wait.
    /// - Returns: the access; it ends with `unlock()` or with the process.
    /// - Throws: ``TokenStoreError`` if it was not to be had in time; `CancellationError` at once when the task is cancelled.
    func lock(within limit: Duration) async throws -> TokenStoreLock

    /// Saves if what is kept meets a condition, in one step: nobody changes the item between the look and the save.
    ///
    /// - Parameters:
    ///   - item: what to keep.
    ///   - condition: asked once with what is kept, on a thread that it must not block; what it throws, `save` throws, and
    ///     nothing is changed. It has to allow `nil`: where nothing is, nothing stands in the way.
    /// - Returns: `nil` if it was saved; otherwise what stands in the way.
    func save(_ item: Data, if condition: @escaping @Sendable (Data?) throws -> Bool) async throws -> Data?

    /// Reads the small item beside it that says that a refresh is under way.
    ///
    /// - Returns: `nil` if there is none; empty data if there is one that cannot be read, for instance because the machine
    ///   stopped while it was written.
    func loadIntent() async throws -> Data?

    /// Replaces that item, durably, or removes it with `nil`. Only who has exclusive access does that.
    ///
    /// - Parameter intent: at most 2000 bytes.
    func saveIntent(_ intent: Data?) async throws
}
