// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How the accounts service treats its tokens.
public struct TokenPolicy: Hashable, Sendable {
    /// Whether a refresh brings a new refresh token and spends the old one. Spotify's does not at present.
    public var rotation: Rotation
    /// How long an access token lives; told to clients in whole seconds.
    public var accessTokenLifetime: Duration
    /// How long after a rotation the spent refresh token still brings the same successor, if the successor is unused.
    public var grace: Duration
    /// How long after the sign-in its refresh tokens end, regardless of use. `nil` means never. Spotify: six months.
    public var refreshTokenLifetime: Duration?
    /// Whether a client without a secret may revoke its tokens.
    public var publicClientsMayRevoke: Bool
    /// How long a device code is valid.
    public var deviceCodeLifetime: Duration
    /// How long a device must wait between two polls; told in whole seconds.
    public var devicePollingInterval: Duration

    public init(
        rotation: Rotation = .off, accessTokenLifetime: Duration = .seconds(3600), grace: Duration = .zero,
        refreshTokenLifetime: Duration? = .sixMonths, publicClientsMayRevoke: Bool = true,
        deviceCodeLifetime: Duration = .seconds(600), devicePollingInterval: Duration = .seconds(5)
    ) {
        self.rotation = rotation
        self.accessTokenLifetime = accessTokenLifetime
        self.grace = grace
        self.refreshTokenLifetime = refreshTokenLifetime
        self.publicClientsMayRevoke = publicClientsMayRevoke
        self.deviceCodeLifetime = deviceCodeLifetime
        self.devicePollingInterval = devicePollingInterval
    }

    /// What happens to a refresh token that was used.
    public enum Rotation: String, Hashable, Sendable, CaseIterable {
        /// It is spent, and its successor comes with the new access token.
        case on
        /// The refresh token stays valid, and the answer holds no new one.
        case off
    }
}

extension Duration {
    /// 180 days.
    public static let sixMonths = Duration.seconds(180 * 86400)
}
