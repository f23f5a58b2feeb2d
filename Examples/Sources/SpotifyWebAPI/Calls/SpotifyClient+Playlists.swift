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
            var call = Self.item("playlists", id, items)
            call.method = "POST"
            call.scopes = .any([Scope.changePublicPlaylists, Scope.changePrivatePlaylists])
            let body = AddedItems(
                uris: Array(uris[start..<min(start + 100, uris.count)]), position: position.map { $0 + start })
            snapshot = try await answer(to: call.json(body), as: Snapshot.self).snapshotId
        }
        return snapshot
    }

    // MARK: -

    private var items: String { quota == .development ? "/items" : "/tracks" }
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

private struct Snapshot: Decodable { let snapshotId: String }
