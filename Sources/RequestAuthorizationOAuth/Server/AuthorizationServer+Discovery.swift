// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationServer {
    /// Fetches a server's metadata (RFC 8414, OpenID Connect Discovery).
    ///
    ///     let server = try await AuthorizationServer.discover(issuer: "https://id.example.com", transport: URLSession.shared)
    ///
    /// The issuer is a URL with `https`, or with `http` on loopback, without query and fragment. The metadata must name
    /// the same issuer, code point by code point; otherwise they are not used (RFC 8414 §3.3). Redirects are not
    /// followed.
    ///
    /// - Throws: ``AuthorizationServerError``, with the problem ``AuthorizationServerError/Problem/unavailable`` if the
    ///   server cannot answer now, and errors of the transport. The error names the target of a redirect, and the
    ///   issuer as the server spells it.
    public static func discover(
        issuer: String, transport: any TokenTransport, clock: any AuthorizationClock = .system
    ) async throws -> AuthorizationServer {
        var (refusal, problem): ((any Error)?, (any Error)?)
        for url in try metadataURLs(of: issuer) {
            guard let response = try await transport.metadata(at: url, else: &problem) else { continue }
            guard response.statusCode == 200 else {
                if refusal == nil, [408, 429].contains(response.statusCode) || response.statusCode >= 500 {
                    refusal = AuthorizationServerError(
                        .unavailable, member: "issuer",
                        detail: "the server answered discovery with \(response.statusCode): try again later",
                        retryAfter: RetryAfter.duration(in: response, at: clock.now))
                }
                if problem == nil { problem = DiscoveryProblem.redirect(response, from: url) }
                continue
            }
            // Some servers answer unknown paths with a page and the status 200.
            // Of a damaged document it is not known which endpoint is whose, and it can be fetched again.
            guard let document = try? AnswerObject(response), document.isWhole, let named = document.text("issuer")
            else { continue }
            if isSameIssuer(named, issuer) { return try AuthorizationServer(metadata: document, issuer: issuer) }
            refusal = DiscoveryProblem.otherIssuer(named, insteadOf: issuer)
        }
        throw refusal ?? problem ?? AuthorizationServerError(.noMetadata, member: "issuer")
    }

    /// Fills the properties that are `nil` from the server's metadata. Other properties stay as they are.
    ///
    /// - Throws: as ``discover(issuer:transport:clock:)``; ``AuthorizationServerError`` if the server has no `issuer`.
    public func completed(by transport: any TokenTransport) async throws -> AuthorizationServer {
        guard let issuer else {
            throw AuthorizationServerError(
                .noMetadata, member: "issuer", detail: "set the issuer, whose URL is needed for discovery")
        }
        let found = try await Self.discover(issuer: issuer, transport: transport)
        var server = self
        for (_, path) in Self.endpoints where server[keyPath: path] == nil {
            server[keyPath: path] = found[keyPath: path]
        }
        server.requiresPushedAuthorizationRequests =
            requiresPushedAuthorizationRequests || found.requiresPushedAuthorizationRequests
        server.announcesIssuer = announcesIssuer || found.announcesIssuer
        server.additionalMetadata = additionalMetadata.merging(found.additionalMetadata) { own, _ in own }
        return server
    }
}

// MARK: - Documents

extension TokenTransport {
    /// Asks a place that may have metadata; `nil` if the answer is too long, as the page for an unknown path may be.
    func metadata(at url: URL, else problem: inout (any Error)?) async throws -> TokenResponse? {
        let request = TokenRequest(method: "GET", url: url, fields: [(name: "Accept", value: "application/json")])
        do {
            return try await send(request)
        } catch let error as TokenTransportError where error.code == .responseTooLong {
            problem = problem ?? error
            return nil
        }
    }
}

extension AuthorizationServer {
    /// The URLs at which the metadata may be, in the order in which they are tried.
    ///
    /// RFC 8414 §3.1 inserts the well-known part between host and path, and OpenID Connect appends it. Some servers
    /// do the opposite (§5), and a server below a path may answer only URLs below that path. The order is that of the
    /// Model Context Protocol, and the form that it does not have comes last.
    static func metadataURLs(of issuer: String) throws -> [URL] {
        guard let url = URL(string: issuer) else { throw AuthorizationServerError(.notAURL, member: "issuer") }
        try check(url, named: "issuer")
        if url.query() != nil {
            throw AuthorizationServerError(.notAURL, member: "issuer", detail: "remove the query (RFC 8414 §2)")
        }
        // The spelling is kept: nothing is decoded or normalized (§4), only a slash at the end is removed (§3.1).
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let (host, rest) = base.splitBeforePath
        let places = ["oauth-authorization-server", "openid-configuration"].map { "/.well-known/\($0)" }
        let texts = places.map { "\(host)\($0)\(rest)" } + places.reversed().map { base + $0 }
        var urls: [URL] = []
        for case let url? in texts.map({ URL(string: $0) }) where !urls.contains(url) { urls.append(url) }
        return urls
    }

    private init(metadata: AnswerObject, issuer: String) throws {
        self.init(
            issuer: issuer,
            requiresPushedAuthorizationRequests: metadata.value("require_pushed_authorization_requests")
                == .bool(true),
            announcesIssuer: metadata.value("authorization_response_iss_parameter_supported") == .bool(true),
            additionalMetadata: metadata.members.filter { !Self.ownMembers.contains($0.key) })
        // A server does not name the proxy that refreshes its tokens.
        for (name, path) in Self.endpoints where name != "refresh_endpoint" {
            guard let text = metadata.text(name) else { continue }
            guard let url = URL(string: text) else { throw AuthorizationServerError(.notAURL, member: name) }
            try Self.checkLoopback(url, named: name, issuer: issuer)
            self[keyPath: path] = url
        }
    }
}

extension String {
    /// A URL up to its path, and the rest, as they are spelt. Bytes: a mark would make one character with a slash.
    var splitBeforePath: (head: Substring, rest: Substring) {
        let authority = utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let end = authority.firstIndex { "/?#".utf8.contains($0) } ?? endIndex
        return (self[..<end], self[end...])
    }
}
