// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LocalSpotify {
    /// Makes a device the active one, as its user would.
    ///
    /// - Parameter id: an id from `GET /v1/me/player/devices`. `nil` turns all devices off: nothing plays, and commands
    ///   find no device.
    public func activate(device id: String?) { webAPI.player.activate(id) }
}
