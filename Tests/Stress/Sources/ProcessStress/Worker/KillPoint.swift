// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The points of a refresh at which a process can be killed, in order.
public enum KillPoint: String, Hashable, Sendable, CaseIterable {
    /// The process has exclusive access.
    case lock
    /// The process has saved its intent durably.
    case intent
    /// The process is connected to the server and has sent nothing.
    case beforeSend
    /// The server has exchanged the refresh token and has not answered. The server's process kills it.
    case afterCommit
    /// The new token is in a temporary file.
    case afterWrite
    /// The temporary file has replaced the old token.
    case afterRename
    /// The replacement is durable.
    case afterFolderSync
    /// A request has the new token.
    case publish
    /// The process still has exclusive access and has finished its work.
    case beforeUnlock

    /// Whether the server has spent the refresh token, and only the process has its successor.
    var isBetweenCommitAndSave: Bool { self == .afterCommit || self == .afterWrite }
}
