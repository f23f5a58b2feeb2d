// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// The user's playlists, including private ones.
    ///
    /// - Parameter pageSize: the number of playlists per page, from 1 to 50.
    public func playlists(pageSize: Int = 20) -> PagedItems<Playlist> {
        paged(
            WebAPICall(
                path: "/v1/me/playlists", query: [("limit", String(pageSize))], scopes: .all([.playlistReadPrivate])))
    }

    /// A playlist. In Development Mode it has its items only if the user owns it.
    ///
    /// - Parameter id: the last part of `spotify:playlist:ID`.
    public func playlist(_ id: String) async throws -> Playlist { try await answer(to: Self.item("playlists", id)) }

    /// The items of a playlist.
    public func items(ofPlaylist id: String) -> PagedItems<PlaylistItem> { paged(Self.item("playlists", id, items)) }

    /// Creates a playlist that the user owns.
    ///
    /// - Parameters:
    ///   - name: the name, which need not be unique.
    ///   - description: a text for the user and, if the playlist is public, for others.
    ///   - isPublic: whether the user's profile shows it.
    public func createPlaylist(
        _ name: String, description: String? = nil, isPublic: Bool = false
    ) async throws -> Playlist {
        let scopes = ScopeRequirement.all([isPublic ? .playlistModifyPublic : .playlistModifyPrivate])
        let body = NewPlaylist(name: name, description: description, isPublic: isPublic)
        var path = "/v1/me/playlists"
        if quota == .extended { path = "/v1/users/\(WebAPICall.escape(try await currentUser().id))/playlists" }
        return try await answer(to: WebAPICall(method: "POST", path: path, scopes: scopes).json(body))
    }

    /// Adds items to a playlist, in calls of a hundred items.
    ///
    /// - Parameters:
    ///   - uris: URIs of tracks and episodes.
    ///   - id: the last part of `spotify:playlist:ID`.
    ///   - position: the position of the first item, counted from 0; by default the end.
    /// - Returns: the snapshot id of the playlist's new version; `nil` if there was nothing to add.
    @discardableResult
    public func add(_ uris: [String], toPlaylist id: String, at position: Int? = nil) async throws -> String? {
        var snapshot: String?
        for start in stride(from: 0, to: uris.count, by: 100) {
            let call = change("POST", id)
            let body = AddedItems(
                uris: Array(uris[start..<min(start + 100, uris.count)]), position: position.map { $0 + start })
            snapshot = try await answer(to: call.json(body), as: Snapshot.self).snapshotId
        }
        return snapshot
    }

    /// Removes all occurrences of items from a playlist, in calls of a hundred items.
    ///
    /// - Parameters:
    ///   - uris: URIs of tracks and episodes. Those that are not in the playlist are ignored.
    ///   - id: the last part of `spotify:playlist:ID`.
    ///   - snapshot: the version to change, for instance ``Playlist/snapshotID``; by default the latest.
    /// - Returns: the snapshot id of the playlist's new version; `nil` if there was nothing to remove.
    @discardableResult
    public func remove(
        _ uris: [String], fromPlaylist id: String, snapshot: String? = nil
    ) async throws -> String? {
        var new: String?
        for start in stride(from: 0, to: uris.count, by: 100) {
            let part = uris[start..<min(start + 100, uris.count)].map(RemovedItems.Item.init(uri:))
            let body = RemovedItems(
                items: quota == .development ? part : nil, tracks: quota == .extended ? part : nil, snapshotId: snapshot
            )
            new = try await answer(to: change("DELETE", id).json(body), as: Snapshot.self).snapshotId
        }
        return new
    }

    /// Moves items within a playlist.
    ///
    ///     try await spotify.moveItems(0..<1, ofPlaylist: id, before: 10)  // the first of ten goes to the end
    ///
    /// - Parameters:
    ///   - range: the positions of the items, counted from 0.
    ///   - id: the last part of `spotify:playlist:ID`.
    ///   - position: the position of the item before which they are inserted, counted before the move. The number of
    ///     items means the end.
    ///   - snapshot: the version that the positions refer to; by default the latest.
    /// - Returns: the snapshot id of the playlist's new version; `nil` for an empty range.
    @discardableResult
    public func moveItems(
        _ range: Range<Int>, ofPlaylist id: String, before position: Int, snapshot: String? = nil
    ) async throws -> String? {
        guard !range.isEmpty else { return nil }
        let body = MovedItems(
            rangeStart: range.lowerBound, rangeLength: range.count, insertBefore: position, snapshotId: snapshot)
        return try await answer(to: change("PUT", id).json(body), as: Snapshot.self).snapshotId
    }

    // MARK: -

    private var items: String { quota == .development ? "/items" : "/tracks" }

    private func change(_ method: String, _ id: String) -> WebAPICall {
        var call = Self.item("playlists", id, items)
        call.method = method
        call.scopes = .any([.playlistModifyPublic, .playlistModifyPrivate])
        return call
    }
}

private struct NewPlaylist: Encodable {
    let name: String
    let description: String?
    let isPublic: Bool

    enum CodingKeys: String, CodingKey {
        case name, description
        case isPublic = "public"
    }
}

private struct AddedItems: Encodable {
    let uris: [String]
    let position: Int?
}

/// The key of its list is the last part of the path.
private struct RemovedItems: Encodable {
    struct Item: Encodable { let uri: String }
    let items: [Item]?
    let tracks: [Item]?
    let snapshotId: String?
}

private struct MovedItems: Encodable {
    let rangeStart: Int
    let rangeLength: Int
    let insertBefore: Int
    let snapshotId: String?
}

private struct Snapshot: Decodable { let snapshotId: String }
