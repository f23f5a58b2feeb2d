// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a second process saw in a store's folder.
public struct FolderReport: Hashable, Sendable, Codable {
    /// How many entries were looked at, each look counted.
    public var looks = 0
    /// How often each kind of entry was seen.
    public var entries: [String: Int] = [:]
    /// Entries that others could read, or that were half written; the first of them.
    public var problems: [String] = []
}
