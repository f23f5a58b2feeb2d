// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Counts the sessions of this provider, and remembers the header values of the present one.
///
/// A request that was sent in one session is not sent again in another one: it might be another person's.
struct SessionLine: Hashable {
    /// How many sessions have replaced another one.
    private(set) var number = 0
    /// The current session or, before there is one, the session that the first token will begin.
    private(set) var session: UUID
    /// The session of the last held token.
    private(set) var lastHeld: UUID?
    /// The hashed header values of the session. The first session accepts all values and records none.
    private var headers: [Int] = []

    /// How many tokens are remembered. A hand-made loop does not send a request again that is answered more refreshes
    /// later than that.
    private static let memory = 16

    init(_ session: UUID) { self.session = session }

    /// Goes on in a session, of which no token may be held yet.
    mutating func enter(_ session: UUID) { self.session = session }

    mutating func note(_ held: HeldToken) {
        if let lastHeld, lastHeld != held.version.session {
            number += 1
            headers = []
        }
        lastHeld = held.version.session
        guard number > 0 else { return }
        headers.append(held.header.hashValue)
        if headers.count > Self.memory { headers.removeFirst() }
    }

    /// Whether a request with this header value may be sent again. A request without one was not authorized here.
    func includes(_ header: String?) -> Bool {
        guard let header, number > 0 else { return true }
        return headers.contains(header.hashValue)
    }
}
