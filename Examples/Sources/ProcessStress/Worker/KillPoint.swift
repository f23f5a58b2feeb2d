// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The moments of a refresh at which a process is killed, in their order.
public enum KillPoint: String, Hashable, Sendable, CaseIterable {
    /// It has exclusive access.
    case lock
    /// Its intent is durable.
    case intent
    /// It is connected to the server and has sent nothing.
    case beforeSend
    /// The server has exchanged the refresh token and has not answered. The server's process kills it.
    case afterCommit
    /// The new token is in a temporary file.
    case afterWrite
    /// The temporary file has taken the place of the old token.
    case afterRename
    /// That is durable.
    case afterFolderSync
    /// A request has the new token.
    case publish
    /// It still has exclusive access, and nothing is left to be done.
    case beforeUnlock

    /// Whether the server has spent the refresh token and its successor is nowhere but in the process.
    var isBetweenCommitAndSave: Bool { self == .afterCommit || self == .afterWrite }
}
