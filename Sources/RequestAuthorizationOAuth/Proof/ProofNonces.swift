// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// What servers said that proofs must hold: a nonce for each of them, and the time.
///
/// One object serves the service and all its tokens. Nonces of an authorization server and of a resource are kept apart, also at
/// one origin (RFC 9449 §8, §9).
final class ProofNonces: Sendable, RedactedDescription {
    enum Server: Hashable {
        case authorization(Origin)
        case resource(Origin)
    }

    private struct State {
        var nonces: [Server: String] = [:]
        /// How far the clocks of servers are ahead of this one.
        var offsets: [Server: TimeInterval] = [:]
        /// The same of the authorization server, for those that have said nothing.
        var usualOffset: TimeInterval = 0
    }

    private let state = Lock(State())

    /// How many servers are remembered. A program that meets more asks some of them again.
    static let limit = 256
    /// How many bytes a nonce may have.
    static let longest = 1024
    /// Clocks that differ by less are taken for equal: `Date` has whole seconds, and answers take time.
    static let tolerance: TimeInterval = 5

    /// What the next proof for a server holds: its nonce, if it has sent one, and the time by its clock.
    func claims(for server: Server, at date: Date) -> (nonce: String?, date: Date) {
        state.withLock { state in
            (state.nonces[server], date.addingTimeInterval(state.offsets[server] ?? state.usualOffset))
        }
    }

    /// Takes the nonce of an answer (RFC 9449 §8.2), whatever its status.
    ///
    /// - Returns: the problem of one that no proof can hold, and whether there is a usable one.
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
            if state.nonces[server] == nil, state.nonces.count >= Self.limit {
                _ = state.nonces.popFirst()
            }
            state.nonces[server] = nonce
        }
        return (true, nil)
    }

    /// Sets the time for a server by the `Date` of its answer to a proof that it refused.
    ///
    /// - Returns: whether it was wrong, so that the next proof has another time.
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

    /// RFC 9449 §8.1: visible ASCII without quotation mark and backslash.
    private static func isPartOfNonce(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// A server sent a nonce that no proof can hold (RFC 9449 §8.1). It was ignored.
public struct InvalidProofNonce: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets, for metrics.
        public let description: String

        /// It has more than 1 KiB.
        public static let tooLong = Problem(description: "too long")
        /// It is empty, has characters that a nonce must not have, or there are several.
        public static let malformed = Problem(description: "malformed")
        /// The server asks for one and sends none.
        public static let missing = Problem(description: "missing")
    }

    public let problem: Problem

    public init(_ problem: Problem) { self.problem = problem }

    public var description: String { "the nonce for proofs is \(problem); tell the makers of the server" }
}
