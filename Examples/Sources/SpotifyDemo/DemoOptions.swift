// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import LocalSpotify

/// What a run of the demo shall do.
public struct DemoOptions: Hashable, Sendable {
    /// How many calls.
    public var requests: Int
    /// How long access tokens live, in seconds.
    public var tokenLifetime: Int
    /// Whether refresh tokens rotate.
    public var rotation: TokenPolicy.Rotation
    /// Whether things go wrong on purpose.
    public var faults: Bool

    public init(
        requests: Int = 1000, tokenLifetime: Int = 2, rotation: TokenPolicy.Rotation = .on, faults: Bool = false
    ) {
        self.requests = requests
        self.tokenLifetime = tokenLifetime
        self.rotation = rotation
        self.faults = faults
    }
}
