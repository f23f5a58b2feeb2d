// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What connection a request gets that `URLSession` on Linux might send twice: one with a body, or with `POST` or `PATCH`.
///
///     try await session.upload(for: order, from: body, authorizedBy: auth)                       // a connection of its own
///     try await session.upload(for: event, from: body, authorizedBy: auth, connection: .reused)  // may arrive twice
///     try await session.data(for: poll, authorizedBy: auth, connection: .automatic.atMost(50))
///
/// Where a reused connection drops without an answer, swift-corelibs-foundation sends the request again. So such requests get a
/// connection of their own, and at most so many of them are under way to one host at a time. On Apple's platforms `URLSession`
/// takes care of that itself, and this changes nothing.
public struct ConnectionUse: Hashable, Sendable {
    /// Whether a request may be repeated where that cannot be seen in it.
    let mayBeRepeated: Bool
    /// How many requests with a connection of their own may be under way to a host when this one begins.
    private(set) var limit: Int?

    /// A connection of its own, unless the request has an `Idempotency-Key`, which lets a server tell a repeated request, and a body
    /// that can be sent again.
    public static let automatic = ConnectionUse(mayBeRepeated: false)

    /// The session's connections, for a request that may arrive twice: not queued, and over TLS 5 to 70 times as fast, by the
    /// number of certificate authorities that the system trusts.
    ///
    /// If a reused connection drops at that moment, the request may reach the server twice, and the call may end only with its
    /// time-out. A body that is a stream gets a connection of its own all the same.
    public static let reused = ConnectionUse(mayBeRepeated: true)

    private init(mayBeRepeated: Bool) { self.mayBeRepeated = mayBeRepeated }

    /// The same with another number than the session's `httpMaximumConnectionsPerHost`.
    ///
    /// - Parameter limit: how many requests with a connection of their own may be under way to the host, this one included;
    ///   at least one. Each takes a few descriptors of the process.
    public func atMost(_ limit: Int) -> ConnectionUse {
        var use = self
        use.limit = max(1, limit)
        return use
    }
}
