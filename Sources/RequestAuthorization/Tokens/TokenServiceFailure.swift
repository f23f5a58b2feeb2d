// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error of a token service that says what it means for the session.
///
/// Conform your own error, or throw a ``TokenEndpointError``.
public protocol TokenServiceFailure: Error {
    /// Whether the session ends, may end, or goes on.
    var kind: TokenFailureKind { get }

    /// How long the server asked to be left alone (RFC 9110 §10.2.3); honoured up to 5 minutes.
    var retryAfter: Duration? { get }

    /// Whether the server may have exchanged the refresh token although the answer was lost.
    var delivery: TokenRequestDelivery { get }
}

extension TokenServiceFailure {
    public var retryAfter: Duration? { nil }
    public var delivery: TokenRequestDelivery { .mayHaveBeenProcessed }
}

/// What a failed refresh means for the session.
public enum TokenFailureKind: String, Hashable, Sendable, Codable {
    /// The session has ended: `invalid_grant` and its kin.
    case terminal
    /// The server refused without a known error code. Three in a row end the session; what is stored is set aside.
    case rejected
    /// It may work later: no network, a time-out, 408, 429, 5xx, anything unknown.
    case transient
}

/// How far a token request got.
public enum TokenRequestDelivery: Hashable, Sendable {
    /// The server has not seen it.
    case notSent
    /// It was sent and no answer came: the server may have spent the refresh token. The first retry comes within a second.
    case mayHaveBeenProcessed
    /// The server answered, with an error.
    case answered
}

/// What a token endpoint answered instead of a token (RFC 6749 §5.2).
///
///     throw TokenEndpointError(status: 400, code: "invalid_grant")
public struct TokenEndpointError: TokenServiceFailure, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The `error` member of the answer, if it had one.
    public let code: String?
    public let retryAfter: Duration?
    public let kind: TokenFailureKind
    public var delivery: TokenRequestDelivery { .answered }

    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: the `error` member of the answer, if it had one.
    ///   - retryAfter: how long the server asked to be left alone.
    ///   - kind: what the server means by it, where that is known better than from status and code.
    public init(status: Int, code: String? = nil, retryAfter: Duration? = nil, kind: TokenFailureKind? = nil) {
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
        self.kind = kind ?? Self.usualKind(status: status, code: code)
    }

    private static func usualKind(status: Int, code: String?) -> TokenFailureKind {
        if let code, terminalCodes.contains(code) { return .terminal }
        if let code, passingCodes.contains(code) { return .transient }
        return [400, 401, 403].contains(status) ? .rejected : .transient
    }

    /// The codes after which the refresh token or the client is of no more use (RFC 6749 §5.2).
    private static let terminalCodes: Set = [
        "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    ]

    /// The codes that say that it may work later (RFC 6749 §4.1.2.1, RFC 8628 §3.5).
    private static let passingCodes: Set = [
        "temporarily_unavailable", "server_error", "slow_down", "authorization_pending",
    ]
}

extension TokenEndpointError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let answer =
            "the token endpoint answered \(status)" + (code.map { " \(Self.isPrintable($0) ? $0 : "…")" } ?? "")
        return switch kind {
        case .terminal where code == "invalid_grant": "\(answer): sign in again"
        case .terminal: "\(answer): check the client that is registered there, then sign in again"
        case .rejected: "\(answer) and no known reason: if that goes on, sign in again"
        case .transient: "\(answer): try again later"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "kind": kind]) }

    /// Codes are words in lower case (RFC 6749 §11.4); anything else that a server may have put there is not shown.
    private static func isPrintable(_ code: String) -> Bool {
        code.utf8.count <= 64 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
