// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Why the player refused a command.
public struct PlayerErrorReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let noPreviousTrack = PlayerErrorReason(rawValue: "NO_PREV_TRACK")
    public static let noNextTrack = PlayerErrorReason(rawValue: "NO_NEXT_TRACK")
    public static let noSpecificTrack = PlayerErrorReason(rawValue: "NO_SPECIFIC_TRACK")
    public static let alreadyPaused = PlayerErrorReason(rawValue: "ALREADY_PAUSED")
    public static let notPaused = PlayerErrorReason(rawValue: "NOT_PAUSED")
    public static let notPlayingLocally = PlayerErrorReason(rawValue: "NOT_PLAYING_LOCALLY")
    public static let notPlayingTrack = PlayerErrorReason(rawValue: "NOT_PLAYING_TRACK")
    public static let notPlayingContext = PlayerErrorReason(rawValue: "NOT_PLAYING_CONTEXT")
    public static let endlessContext = PlayerErrorReason(rawValue: "ENDLESS_CONTEXT")
    public static let contextDisallow = PlayerErrorReason(rawValue: "CONTEXT_DISALLOW")
    public static let alreadyPlaying = PlayerErrorReason(rawValue: "ALREADY_PLAYING")
    public static let rateLimited = PlayerErrorReason(rawValue: "RATE_LIMITED")
    public static let remoteControlDisallow = PlayerErrorReason(rawValue: "REMOTE_CONTROL_DISALLOW")
    public static let deviceNotControllable = PlayerErrorReason(rawValue: "DEVICE_NOT_CONTROLLABLE")
    public static let volumeControlDisallow = PlayerErrorReason(rawValue: "VOLUME_CONTROL_DISALLOW")
    public static let noActiveDevice = PlayerErrorReason(rawValue: "NO_ACTIVE_DEVICE")
    public static let premiumRequired = PlayerErrorReason(rawValue: "PREMIUM_REQUIRED")
    public static let unknown = PlayerErrorReason(rawValue: "UNKNOWN")

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
