// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// The user's playlists, private ones too.
    ///
    /// - Parameter pageSize: how many to fetch at a time, from 1 to 50.
    public func playlists(pageSize: Int = 20) -> PagedItems<Playlist> {
        paged(
            WebAPICall(
                path: "/v1/me/playlists", query: [("limit", String(pageSize))], scopes: .all([Scope.readPlaylists])))
    }

    /// A playlist, in Development Mode with its items only if it is the user's own.
    ///
    /// - Parameter id: as it stands in `spotify:playlist:ID`.
    public func playlist(_ id: String) async throws -> Playlist { try await answer(to: Self.item("playlists", id)) }

    /// The items of a playlist.
    public func items(ofPlaylist id: String) -> PagedItems<PlaylistItem> { paged(Self.item("playlists", id, items)) }

    /// Makes a playlist of the user's own.
    ///
    /// - Parameters:
    ///   - name: need not be unique.
    ///   - description: for the user and, if it is public, for others.
    ///   - isPublic: whether the user's profile shows it.
    public func createPlaylist(
        _ name: String, description: String? = nil, isPublic: Bool = false
    ) async throws -> Playlist {
        let scopes = ScopeRequirement.all([isPublic ? Scope.changePublicPlaylists : Scope.changePrivatePlaylists])
        let body = NewPlaylist(name: name, description: description, isPublic: isPublic)
        var path = "/v1/me/playlists"
        if quota == .extended { path = "/v1/users/\(WebAPICall.escape(try await currentUser().id))/playlists" }
        return try await answer(to: WebAPICall(method: "POST", path: path, scopes: scopes).json(body))
    }

    /// Adds items to a playlist, a hundred with each call.
    ///
    /// - Parameters:
    ///   - uris: of tracks and episodes.
    ///   - id: as it stands in `spotify:playlist:ID`.
    ///   - position: counted from 0; the end by default.
    /// - Returns: the name of the playlist's new version; `nil` if there was nothing to add.
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

    /// Removes items from a playlist wherever they stand in it, a hundred with each call.
    ///
    /// - Parameters:
    ///   - uris: of tracks and episodes; those that are not in it are left out.
    ///   - id: as it stands in `spotify:playlist:ID`.
    ///   - snapshot: the version that is meant, for instance ``Playlist/snapshotID``; by default the latest.
    /// - Returns: the name of the playlist's new version; `nil` if there was nothing to remove.
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
    ///   - range: their places, counted from 0.
    ///   - id: as it stands in `spotify:playlist:ID`.
    ///   - position: the place, as it is counted before the move, of the item that they shall precede; the number of items
    ///     for the end.
    ///   - snapshot: the version that the places are of; by default the latest.
    /// - Returns: the name of the playlist's new version; `nil` for an empty range.
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
        call.scopes = .any([Scope.changePublicPlaylists, Scope.changePrivatePlaylists])
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

/// Its list is named as its address.
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
