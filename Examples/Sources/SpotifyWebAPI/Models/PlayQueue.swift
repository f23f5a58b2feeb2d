// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The current item and the items that follow.
public struct PlayQueue: Decodable, Hashable, Sendable {
    public let currentlyPlaying: PlayableItem?
    public let queue: [PlayableItem]
}
