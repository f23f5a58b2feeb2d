// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a sign-in allowed, and whom.
struct Grant: Hashable, Sendable {
    /// `nil`: nobody in particular, as a code of ``LocalSpotify/makeCode(scopes:)`` is.
    var clientID: String?
    var scopes = Scope.all
    /// Whether a person signed in; else an app that speaks for itself (RFC 6749 §4.4).
    var hasUser = true
}
