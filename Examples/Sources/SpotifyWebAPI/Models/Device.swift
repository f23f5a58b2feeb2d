// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A device that plays music for the user.
public struct Device: Decodable, Hashable, Sendable {
    /// `nil` for devices that cannot be controlled.
    public let id: String?
    public let name: String
    public let type: String
    public let isActive: Bool
    public let isRestricted: Bool?
    /// From 0 to 100.
    public let volumePercent: Int?
    public let supportsVolume: Bool?
}
