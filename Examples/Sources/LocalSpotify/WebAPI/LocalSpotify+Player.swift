// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LocalSpotify {
    /// Makes a device the active one, as its user would.
    ///
    /// - Parameter id: as `GET /v1/me/player/devices` lists it; `nil` turns all devices off: nothing plays, and no command finds one.
    public func activate(device id: String?) { webAPI.player.activate(id) }
}
