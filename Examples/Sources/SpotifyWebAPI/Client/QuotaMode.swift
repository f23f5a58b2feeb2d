// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The variant of the Web API that an app gets.
///
/// In February 2026 Spotify removed fields and calls for apps in Development Mode. Extended Quota is unchanged. Answers
/// of both variants are decoded; this value determines which calls are made.
public enum QuotaMode: Hashable, Sendable {
    /// For every new app: `POST /me/playlists`, `PUT /me/library`, `/playlists/{id}/items`, ten search results per
    /// page.
    case development
    /// For apps that Spotify has reviewed: `POST /users/{id}/playlists`, `PUT /me/tracks`, `/playlists/{id}/tracks`.
    case extended

    /// The maximum number of search results per page.
    public var searchLimit: Int { self == .development ? 10 : 50 }
}
