// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A playlist as it is stored; ``Playlist`` is its form in answers.
struct StoredPlaylist: Sendable {
    struct Item: Sendable {
        let track: Track
        let addedAt: Date
    }

    let id: String
    let name: String
    var description = ""
    var isPublic = false
    var items: [Item]
    private var version = 1

    init(id: String, name: String, description: String = "", isPublic: Bool = false, items: [Item] = []) {
        self.id = id
        self.name = name
        self.description = description
        self.isPublic = isPublic
        self.items = items
    }

    /// The id of this version.
    var snapshotID: String { "\(id)-\(version)" }

    /// Whether an id is that of this version or of an earlier one.
    func knows(_ snapshotID: String) -> Bool { (1...version).contains { snapshotID == "\(id)-\($0)" } }

    mutating func insert(_ tracks: [Track], at position: Int?, now: Date) {
        let position = min(position ?? items.count, items.count)
        items.insert(contentsOf: tracks.map { Item(track: $0, addedAt: now) }, at: position)
        version += 1
    }

    /// Removes all occurrences.
    mutating func remove(_ uris: Set<String>) {
        items.removeAll { uris.contains($0.track.uri) }
        version += 1
    }

    /// - Parameter position: counted as before the move.
    mutating func move(_ range: Range<Int>, before position: Int) {
        let moved = items[range]
        items.removeSubrange(range)
        let position = position - range.prefix { $0 < position }.count
        items.insert(contentsOf: moved, at: position)
        version += 1
    }
}
