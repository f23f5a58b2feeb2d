// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LocalSpotify {
    /// The two variants of Spotify's Web API since February 2026.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// `POST /me/playlists`, `/playlists/{id}/items` and `/me/library`. A search brings ten items at most; answers
        /// contain no popularity and little about users.
        case developmentMode
        /// The former calls `POST /users/{id}/playlists`, `/playlists/{id}/tracks`, `/me/tracks` and so on, and the new
        /// ones too.
        case extendedQuota
    }
}
