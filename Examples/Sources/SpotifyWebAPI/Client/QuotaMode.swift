// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Which of the Web API's two shapes an app sees.
///
/// In February 2026 Spotify took fields and calls from apps in Development Mode and left Extended Quota as it was. What
/// comes back is decoded either way; this says what may be asked for.
public enum QuotaMode: Hashable, Sendable {
    /// What every new app gets: `POST /me/playlists`, `PUT /me/library`, `/playlists/{id}/items`, ten search results a page.
    case development
    /// For apps that Spotify has reviewed: `POST /users/{id}/playlists`, `PUT /me/tracks`, `/playlists/{id}/tracks`.
    case extended

    /// How many results a search may ask for.
    public var searchLimit: Int { self == .development ? 10 : 50 }
}
