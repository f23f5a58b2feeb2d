// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Which connection carries a request that `URLSession` on Linux might send twice.
///
/// That is a request with a body, or with a method that is not idempotent, such as `POST` or `PATCH`.
///
///     try await session.upload(for: order, from: body, authorizedBy: auth)                       // a connection of its own
///     try await session.upload(for: event, from: body, authorizedBy: auth, connection: .reused)  // may arrive twice
///     try await session.data(for: poll, authorizedBy: auth, connection: .automatic.atMost(50))
///
/// When a reused connection drops without an answer, swift-corelibs-foundation sends the request again. So such
/// requests get a connection of their own, and the number of them that are sent to one host at a time is limited. On
/// Apple's platforms `URLSession` itself decides which requests may be repeated, and this type has no effect.
public struct ConnectionUse: Hashable, Sendable {
    /// Whether the caller allows a repetition that the request itself does not show to be harmless.
    let mayBeRepeated: Bool
    /// The limit of ``atMost(_:)``.
    private(set) var limit: Int?

    /// A connection of its own, unless the request has an `Idempotency-Key` and a body that can be sent again.
    ///
    /// The `Idempotency-Key` lets a server recognise a repeated request.
    public static let automatic = ConnectionUse(mayBeRepeated: false)

    /// The session's shared connections, for a request that may arrive twice.
    ///
    /// The request is not queued. Over TLS it is 5 to 70 times as fast, depending on the number of certificate
    /// authorities that the system trusts. If a reused connection drops, the request may reach the server twice, and
    /// the call may end only with its time-out. A request whose body is a stream still gets a connection of its own.
    public static let reused = ConnectionUse(mayBeRepeated: true)

    private init(mayBeRepeated: Bool) { self.mayBeRepeated = mayBeRepeated }

    /// Replaces the session's `httpMaximumConnectionsPerHost` as the limit of such requests to a host at a time.
    ///
    /// - Parameter limit: the number of requests with a connection of their own, this one included; at least one. Each
    ///   needs a few file descriptors of the process.
    public func atMost(_ limit: Int) -> ConnectionUse {
        var use = self
        use.limit = max(1, limit)
        return use
    }
}
