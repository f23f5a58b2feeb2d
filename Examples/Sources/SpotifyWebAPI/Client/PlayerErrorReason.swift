// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Why the player refused a command. Spotify has more reasons than the named ones.
public struct PlayerErrorReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let remoteControlDisallow = PlayerErrorReason(rawValue: "REMOTE_CONTROL_DISALLOW")
    public static let deviceNotControllable = PlayerErrorReason(rawValue: "DEVICE_NOT_CONTROLLABLE")
    public static let volumeControlDisallow = PlayerErrorReason(rawValue: "VOLUME_CONTROL_DISALLOW")
    public static let noActiveDevice = PlayerErrorReason(rawValue: "NO_ACTIVE_DEVICE")
    public static let premiumRequired = PlayerErrorReason(rawValue: "PREMIUM_REQUIRED")

    /// What the user can do.
    var advice: String? {
        switch self {
        case .noActiveDevice: "open Spotify on a device, or name one"
        case .premiumRequired: "the player needs Spotify Premium"
        case .deviceNotControllable, .remoteControlDisallow: "choose another device"
        case .volumeControlDisallow: "set the volume at the device"
        default: nil
        }
    }
}
