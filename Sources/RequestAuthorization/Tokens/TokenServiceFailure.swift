// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error of a token service that tells what it means for the session.
///
/// Conform your own error, or throw a ``TokenEndpointError``.
public protocol TokenServiceFailure: Error {
    /// What the failure means for the session.
    var kind: TokenFailureKind { get }

    /// How long the server asked to wait (RFC 9110 §10.2.3); honoured up to 5 minutes by default.
    var retryAfter: Duration? { get }

    /// Whether the server may have exchanged the refresh token although the answer was lost.
    var delivery: TokenRequestDelivery { get }
}

extension TokenServiceFailure {
    public var retryAfter: Duration? { nil }
    public var delivery: TokenRequestDelivery { .mayHaveBeenProcessed }
}

/// A failure after which a later try may succeed.
@usableFromInline
package protocol TransientFailure: TokenServiceFailure {}

extension TransientFailure {
    public var kind: TokenFailureKind { .transient }
}

/// A failure before anything was sent: the refresh token is not spent.
@usableFromInline
package protocol UnsentFailure: TransientFailure {}

extension UnsentFailure {
    public var delivery: TokenRequestDelivery { .notSent }
}

/// A failure that comes with the answer of the server: none was lost.
@usableFromInline
package protocol AnsweredFailure: TokenServiceFailure {}

extension AnsweredFailure {
    public var delivery: TokenRequestDelivery { .answered }
}

/// What a failed refresh means for the session.
///
/// Only ``terminal`` ends it. In doubt a failure is ``transient``: one call too many costs less than a lost session.
public enum TokenFailureKind: String, Codable, Hashable, Sendable {
    /// The server said that the refresh token is dead (`invalid_grant`). The session ends.
    case terminal
    /// The server refuses the client, not the token (`invalid_client`). The token is kept, and the next try follows
    /// after the longest back-off. Callers get ``NotAuthorized/Reason/clientRefused``.
    case client
    /// The server requires the user (`login_required`). The token is kept, and the next try follows after the longest
    /// back-off. Callers get ``NotAuthorized/Reason/needsInteraction``.
    case interaction
    /// The token cannot be refreshed. It is used until it expires or is refused; then the session ends.
    case noRefreshToken
    /// It may work later: no network, a time-out, 408, 429, 5xx, any refusal without a known error code.
    case transient
}

/// How far a token request has come.
public enum TokenRequestDelivery: Hashable, Sendable {
    /// The server has not received it.
    case notSent
    /// It was sent, and no answer came: the refresh token may be spent. The first retry follows within a second.
    case mayHaveBeenProcessed
    /// The server answered with an error.
    case answered
}

/// The token service returned a token that had already expired.
///
/// Usually the clock of this machine is fast, and the server names the expiry as a date, not as a lifetime. Waiters use
/// the token nevertheless. The next refresh comes after a back-off, as after a failure.
public struct TokenExpiredOnArrival: TransientFailure, AnsweredFailure, Hashable {
    /// When the token expired, by its own date.
    package let expiresAt: Date
    /// The time of this machine's clock when the token came.
    package let arrivedAt: Date
}

extension TokenExpiredOnArrival: OwnDescription {
    @usableFromInline package var ownDescription: String {
        "the new token expired at \(expiresAt), and this machine's clock says \(arrivedAt): check the clock, then the "
            + "lifetime that the server gives; the session is kept"
    }
}
