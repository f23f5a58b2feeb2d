// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import SpotifyWebAPI

extension Tool {
    /// `spotify me`: who is signed in.
    public func me() async throws { try await run { try output.show(ProfileReport(await webAPI.currentUser())) } }

    /// `spotify search`.
    public func search(_ text: String, for kinds: Set<SearchKind>, limit: Int) async throws {
        try await run { try output.show(SearchReport(await webAPI.search(text, for: kinds, limit: limit))) }
    }

    /// `spotify playlists`: the first of the user's, by pages as they are needed.
    public func playlists(limit: Int) async throws {
        try await run {
            let playlists = try await webAPI.playlists().prefix(limit).reduce(into: []) { $0.append($1) }
            try output.show(PlaylistsReport(playlists))
        }
    }

    /// `spotify now`: what is playing.
    public func now() async throws { try await run { try output.show(NowReport(await webAPI.playbackState())) } }

    /// `spotify play`: something, or what was paused.
    public func play(_ text: String?, on device: String?) async throws {
        try await run {
            let target = try text.map { try PlayTarget($0) }
            try await webAPI.play(target?.playback ?? .resumed, on: device)
            try output.show(DoneReport(done: "playing", sentence: "Playing \(target?.uri ?? "again")."))
        }
    }

    /// `spotify pause`.
    public func pause(on device: String?) async throws {
        try await run {
            try await webAPI.pause(on: device)
            try output.show(DoneReport(done: "paused", sentence: "Paused."))
        }
    }
}
