// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The parts of a user's profile that the pages show.
struct ProfileSummary: Hashable, Sendable {
    /// The name that the user chose, or else the id.
    let name: String
    let id: String
    let link: WebLink?
}

/// The parts of the current track or episode that the pages show.
struct PlayingSummary: Hashable, Sendable {
    let track: String
    let artists: [String]
    let isPlaying: Bool
    let link: WebLink?
}
