// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import LocalSpotify

/// The options of a run.
public struct DemoOptions: Hashable, Sendable {
    /// The number of calls.
    public var requests: Int
    /// The lifetime of access tokens in seconds.
    public var tokenLifetime: Int
    /// Whether refresh tokens rotate.
    public var rotation: TokenPolicy.Rotation
    /// Whether the server injects faults.
    public var faults: Bool

    public init(
        requests: Int = 1000, tokenLifetime: Int = 2, rotation: TokenPolicy.Rotation = .on, faults: Bool = false
    ) {
        self.requests = requests
        self.tokenLifetime = tokenLifetime
        self.rotation = rotation
        self.faults = faults
    }

    /// What a run does, for people.
    public var announcement: String {
        let calls = requests == 1 ? "1 call goes" : "\(requests) calls go"
        return """
            \(calls) to a Spotify on this machine, in about \(tokenLifetime * DemoPlan.lifetimes) s.
            An access token lives \(tokenLifetime) s. Halfway the server revokes all access tokens.
            """ + (faults ? "\nSome calls and refreshes are slow, hang or fail." : "")
    }
}
