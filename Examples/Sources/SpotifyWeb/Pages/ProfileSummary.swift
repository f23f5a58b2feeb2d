// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the pages show of a user.
struct ProfileSummary: Hashable, Sendable {
    /// The name that the user chose, or else the id.
    let name: String
    let id: String
    let link: WebLink?
}

/// What the pages show of what is playing.
struct PlayingSummary: Hashable, Sendable {
    let track: String
    let artists: [String]
    let isPlaying: Bool
    let link: WebLink?
}
