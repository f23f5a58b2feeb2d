// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a second process saw in a store's folder.
public struct FolderReport: Hashable, Sendable, Codable {
    /// The number of looks at entries.
    public var looks = 0
    /// How often each kind of entry was seen.
    public var entries: [String: Int] = [:]
    /// The first entries that other users could read, or that were incomplete.
    public var problems: [String] = []
}
