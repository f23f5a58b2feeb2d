// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a sign-in allowed, and to which client.
struct Grant: Hashable, Sendable {
    /// `nil` if no client is named, as in a code of ``LocalSpotify/makeCode(scopes:)``.
    var clientID: String?
    var scopes = Scope.all
    /// Whether a user signed in. If not, the app has its own token (RFC 6749 §4.4).
    var hasUser = true
}
