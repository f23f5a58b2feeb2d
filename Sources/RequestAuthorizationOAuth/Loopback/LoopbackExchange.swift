// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver

/// Answers the requests to the receiver, and recognises the callback. It does no I/O.
struct LoopbackExchange: Sendable {
    /// The parts of a request that count.
    struct Request: Sendable {
        var method: String
        /// Path and query, as in the request line.
        var target: String
        /// The values of all `Host` fields.
        var hosts: [String]
    }

    /// The redirect URI, once the port is known.
    private(set) var redirectURI = ""
    private let literal: String
    private let path: String
    /// The accepted values of `Host`; empty until the port is known.
    private var authorities: Set<String> = []
    /// The sign-in, from its start until its callback has come.
    private var pending: PendingSignIn?

    /// - Parameters:
    ///   - literal: `127.0.0.1` or `[::1]`.
    ///   - path: the path of the redirect URI.
    init(literal: String, path: String) { (self.literal, self.path) = (literal, path) }

    mutating func listen(on port: Int) {
        let authority = "\(literal):\(port)"
        redirectURI = "http://\(authority)\(path)"
        // Browsers leave out the port 80.
        authorities = port == 80 ? [authority, literal] : [authority]
    }

    mutating func begin(_ signIn: PendingSignIn) { pending = signIn }

    mutating func answer(to request: Request) -> LoopbackAnswer {
        // Another `Host` is another origin: a name that an attacker has pointed to this address (RFC 9112 §3.2).
        guard request.hosts.count == 1, authorities.contains(request.hosts[0]) else { return .refused(400) }
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // Compared by bytes: `==` on strings would accept equivalent spellings.
        guard parts[0].utf8.elementsEqual(path.utf8) else { return .refused(404) }
        guard request.method == "GET" else { return .refused(405) }
        guard parts.count == 2, let pending,
            let callback = URL(string: "\(redirectURI)?\(parts[1])", encodingInvalidCharacters: false),
            let parameters = pending.parameters(of: callback)
        else { return .refused(400) }
        self.pending = nil
        return .accepted(callback, hasCode: (try? pending.code(in: parameters)) != nil)
    }

    /// Whether a redirect URI may have this path.
    static func isValid(path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#\"<>\\^`{|}".utf8.contains($0) }
    }
}
#endif
