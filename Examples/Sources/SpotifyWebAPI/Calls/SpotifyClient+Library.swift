// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// The tracks in the user's library, newest first.
    public func savedTracks() -> PagedItems<SavedTrack> {
        paged(WebAPICall(path: "/v1/me/tracks", scopes: .all([.userLibraryRead])))
    }

    /// The albums in the user's library, newest first.
    public func savedAlbums() -> PagedItems<SavedAlbum> {
        paged(WebAPICall(path: "/v1/me/albums", scopes: .all([.userLibraryRead])))
    }

    /// The shows in the user's library, newest first.
    public func savedShows() -> PagedItems<SavedShow> {
        paged(WebAPICall(path: "/v1/me/shows", scopes: .all([.userLibraryRead])))
    }

    /// Adds items to the user's library. Items that are in it already stay.
    ///
    /// - Parameter uris: URIs of tracks and albums; in Development Mode of anything that can be saved or followed.
    /// - Throws: ``NotInLibrary`` for other URIs, before a request is sent.
    public func save(_ uris: [String]) async throws { try await changeLibrary("PUT", uris) }

    /// Removes items from the user's library.
    ///
    /// - Parameter uris: URIs of tracks and albums; in Development Mode of anything that can be saved or followed.
    /// - Throws: ``NotInLibrary`` for other URIs, before a request is sent.
    public func removeSaved(_ uris: [String]) async throws { try await changeLibrary("DELETE", uris) }

    // MARK: -

    private func changeLibrary(_ method: String, _ uris: [String]) async throws {
        let calls = try quota == .development ? Self.library(method, uris) : Self.collections(method, uris)
        for call in calls { try await perform(call) }
    }

    /// One path for all kinds, with 40 URIs per call in the query.
    private static func library(_ method: String, _ uris: [String]) throws -> [WebAPICall] {
        let scopes = try Set(uris.map { try LibraryKind($0).scope })
        return stride(from: 0, to: uris.count, by: 40).map { start in
            let part = uris[start..<min(start + 40, uris.count)].joined(separator: ",")
            return WebAPICall(method: method, path: "/v1/me/library", query: [("uris", part)], scopes: .all(scopes))
        }
    }

    /// A path for each kind, with 50 ids per call in the body.
    private static func collections(_ method: String, _ uris: [String]) throws -> [WebAPICall] {
        struct IDs: Encodable { let ids: [String] }
        let items = try uris.map { (kind: try LibraryKind($0), id: String($0.split(separator: ":").last ?? "")) }
        let kinds = [LibraryKind.track, .album]
        if let other = items.first(where: { !kinds.contains($0.kind) }) {
            throw NotInLibrary(kind: other.kind.rawValue)
        }
        return try kinds.flatMap { kind in
            let ids = items.filter { $0.kind == kind }.map(\.id)
            return try stride(from: 0, to: ids.count, by: 50).map { start in
                try WebAPICall(method: method, path: "/v1/me/\(kind.rawValue)s", scopes: .all([kind.scope]))
                    .json(IDs(ids: Array(ids[start..<min(start + 50, ids.count)])))
            }
        }
    }
}

/// The kinds of items that the library can hold.
private enum LibraryKind: String {
    case track, album, episode, show, audiobook, playlist, artist, user

    init(_ uri: String) throws(NotInLibrary) {
        let parts = uri.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "spotify", !parts[2].isEmpty,
            let kind = LibraryKind(rawValue: String(parts[1]))
        else { throw NotInLibrary(kind: parts.count > 1 ? String(parts[1].prefix(20)) : "") }
        self = kind
    }

    var scope: SpotifyScope {
        switch self {
        case .artist, .user: .userFollowModify
        case .playlist: .playlistModifyPublic
        default: .userLibraryModify
        }
    }
}
