// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LocalSpotify {
    /// Which of Spotify's two faces an app sees since February 2026.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// `POST /me/playlists`, `/playlists/{id}/items`, `/me/library`; searches bring ten at most; no popularity, little of users.
        case developmentMode
        /// As before: `POST /users/{id}/playlists`, `/playlists/{id}/tracks`, `/me/tracks` and the rest; what is new works too.
        case extendedQuota
    }
}
