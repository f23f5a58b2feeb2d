// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver

/// Answers the requests to the receiver, and recognises the callback. It does no I/O.
struct LoopbackExchange: Sendable {
    /// The parts of a request that count.
    struct Request: Sendable {
        var method: String
        /// The target of the request line: path and query, or a whole URL (RFC 9112 §3.2).
        var target: String
        /// The values of all `Host` fields.
        var hosts: [String]
    }

    /// The redirect URI, once the port is known.
    private(set) var redirectURI = ""
    /// `127.0.0.1` or `[::1]`.
    private let literal: String
    private let path: String
    /// The accepted values of `Host`; empty until the port is known.
    private var authorities: Set<String> = []
    /// The sign-in, from its start until its callback has come.
    private var pending: PendingSignIn?
    private var hasEnded = false

    init(literal: String, path: String) { (self.literal, self.path) = (literal, path) }

    mutating func listen(on port: Int) {
        let authority = "\(literal):\(port)"
        redirectURI = "http://\(authority)\(path)"
        // Browsers leave out the port 80.
        authorities = port == 80 ? [authority, literal] : [authority]
    }

    /// Lets the callback of a sign-in come.
    ///
    /// - Returns: `false` if nobody waits for it any more.
    mutating func begin(_ signIn: PendingSignIn) -> Bool {
        guard !hasEnded else { return false }
        pending = signIn
        return true
    }

    /// From now on no request is the callback.
    mutating func end() { (pending, hasEnded) = (nil, true) }

    mutating func answer(to request: Request) -> LoopbackAnswer {
        // RFC 9112 §3.2: a request has one `Host`. Its value does not count if the target is a whole URL (§3.2.2).
        guard request.hosts.count == 1 else { return .refused(400) }
        let (authority, target) = Self.authority(of: request.target) ?? (request.hosts[0], request.target[...])
        // Another authority is another origin: a name that an attacker has pointed to this address.
        guard authorities.contains(authority) else { return .refused(400) }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // Compared by bytes: `==` on strings would accept equivalent spellings.
        guard parts[0].utf8.elementsEqual(path.utf8) else { return .refused(404) }
        guard request.method == "GET" else { return .refused(405) }
        guard parts.count == 2, let pending,
            let callback = URL(string: "\(redirectURI)?\(Self.encoded(parts[1]))", encodingInvalidCharacters: false),
            let parameters = pending.parameters(of: callback)
        else { return .refused(400) }
        self.pending = nil
        return .accepted(callback, hasCode: (try? pending.code(in: parameters)) != nil)
    }

    /// Encodes what browsers leave in a query as it is, though a URL may not have it (RFC 3986 §3.4).
    ///
    /// A `%` is such a character if no two digits follow it.
    private static func encoded(_ query: Substring) -> String {
        let bytes = Array(query.utf8)
        var encoded: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let next = bytes[(index + 1)...].prefix(2)
            let isEscape = next.count == 2 && next.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            let isStray = byte == UInt8(ascii: "%") && !isEscape
            if isStray || "|{}^`\\[]".utf8.contains(byte) {
                encoded += "%\(String(byte, radix: 16, uppercase: true))".utf8
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Splits a target in absolute form, such as `http://127.0.0.1:8080/callback?code=1` (RFC 9112 §3.2.2).
    ///
    /// - Returns: the authority, which is empty for another scheme than `http`, and the rest; `nil` for another form.
    private static func authority(of target: String) -> (String, Substring)? {
        guard !target.hasPrefix("/"), let mark = target.firstRange(of: "://") else { return nil }
        let rest = target[mark.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let isHTTP = target[..<mark.lowerBound].lowercased() == "http"
        return (isHTTP ? rest[..<end].lowercased() : "", rest[end...])
    }

    /// Whether a redirect URI may have this path.
    static func isValid(path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#\"<>\\^`{|}".utf8.contains($0) }
    }
}
#endif
