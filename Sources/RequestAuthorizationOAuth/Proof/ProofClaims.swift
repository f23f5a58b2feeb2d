// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a proof holds besides its request: the nonce that the server wants, and the time by the server's clock.
struct ProofClaims: Sendable, RedactedDescription {
    /// The last nonce of the server, if it has sent one.
    let nonce: ServerNonce?
    /// When the proof is made, by this machine's clock.
    let madeAt: Date
    /// When the proof is made, since a fixed moment.
    let uptime: Duration
    /// The clock by which the proof is dated; `nil` for this machine's.
    let clock: ServerClock?
    /// Whether the proof is made anew because the server refused the time of the last one.
    let isCorrected: Bool

    /// The time by the server's clock.
    var date: Date { clock?.time(at: uptime) ?? madeAt }
}

/// A nonce that a server wants in proofs (RFC 9449 §8).
struct ServerNonce: Sendable, RedactedDescription {
    let text: String
    /// When it came, since a fixed moment.
    let receivedAt: Duration
}
