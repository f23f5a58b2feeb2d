// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The nonces and the times that servers require in proofs.
///
/// A service and all its tokens share one object. The nonces of an authorization server and of a resource server are
/// separate, even at one origin (RFC 9449 §8, §9).
final class ProofNonces: Sendable, RedactedDescription {
    enum Server: Hashable {
        case authorization(Origin)
        case resource(Origin)
    }

    private struct State {
        var nonces: [Server: String] = [:]
        /// How far the servers' clocks are ahead of this one, in seconds.
        var offsets: [Server: TimeInterval] = [:]
        /// The offset of the authorization server, for servers whose offset is not known.
        var usualOffset: TimeInterval = 0
    }

    private let state = Lock(State())

    /// The number of servers whose nonces are kept. With more servers, some nonces have to be requested again.
    static let limit = 256
    /// The highest length of a nonce, in bytes.
    static let longest = 1024
    /// Clocks that differ by fewer seconds count as equal: `Date` has whole seconds, and answers take time.
    static let tolerance: TimeInterval = 5

    /// The claims of the next proof for a server: its nonce, if it has sent one, and the time by its clock.
    func claims(for server: Server, at date: Date) -> (nonce: String?, date: Date) {
        state.withLock { state in
            (state.nonces[server], date.addingTimeInterval(state.offsets[server] ?? state.usualOffset))
        }
    }

    /// Stores the nonce of an answer (RFC 9449 §8.2), whatever its status.
    ///
    /// - Returns: whether there is a valid nonce, and the fault of an invalid one.
    func takeNonce(of response: some AuthorizableResponse, from server: Server) -> (
        isThere: Bool, fault: InvalidProofNonce?
    ) {
        let values = response.headerValues(for: "DPoP-Nonce")
        guard let nonce = values.first else { return (false, nil) }
        guard nonce.utf8.count <= Self.longest else { return (false, InvalidProofNonce(.tooLong)) }
        guard values.count == 1, !nonce.isEmpty, nonce.utf8.allSatisfy(Self.isPartOfNonce) else {
            return (false, InvalidProofNonce(.malformed))
        }
        state.withLock { state in
            if state.nonces[server] == nil, state.nonces.count >= Self.limit { _ = state.nonces.popFirst() }
            state.nonces[server] = nonce
        }
        return (true, nil)
    }

    /// Sets a server's clock offset by the `Date` of its answer to a proof that it refused.
    ///
    /// - Returns: whether the offset was wrong, so that the next proof has another time.
    func takeDate(of response: some AuthorizableResponse, from server: Server, at now: Date) -> Bool {
        guard let text = response.headerValues(for: "Date").first, let date = HTTPDate.parse(text, at: now) else {
            return false
        }
        let difference = date.timeIntervalSince(now)
        return state.withLock { state in
            guard abs(difference - (state.offsets[server] ?? state.usualOffset)) > Self.tolerance else { return false }
            if state.offsets[server] == nil, state.offsets.count >= Self.limit { _ = state.offsets.popFirst() }
            state.offsets[server] = difference
            if case .authorization = server { state.usualOffset = difference }
            return true
        }
    }

    /// Whether a byte is visible ASCII, but no quotation mark and no backslash (RFC 9449 §8.1).
    private static func isPartOfNonce(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// A server sent an invalid nonce (RFC 9449 §8.1), which was ignored, or none where one is required.
public struct InvalidProofNonce: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the nonce.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// The nonce is longer than 1 KiB.
        public static let tooLong = Problem(description: "too long")
        /// The nonce is empty, contains characters that are not allowed, or there are several.
        public static let malformed = Problem(description: "malformed")
        /// The server requires a nonce and sends none.
        public static let missing = Problem(description: "missing")
    }

    public let problem: Problem

    public init(_ problem: Problem) { self.problem = problem }

    public var description: String {
        "the server's nonce for proofs is \(problem), so no proof can contain it; report it to the server's operator"
    }
}
