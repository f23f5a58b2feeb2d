// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension ProtectedResource {
    /// Finds out who guards a resource (RFC 9728, RFC 8414).
    ///
    /// The metadata are at the URL of the challenge, else at the well-known places of the resource. If they are not
    /// there, and no challenge is passed, a `HEAD` asks the resource for one. Of the servers that they list the first
    /// usable one counts. A resource without metadata whose origin is an issuer is guarded by that.
    ///
    /// It takes at most 10 seconds and 12 requests, follows no redirect, and reads at most 64 KiB of an answer. Literal
    /// addresses of private networks are refused, unless the resource is in one itself.
    ///
    /// - Parameters:
    ///   - url: the URL of the resource, verbatim: it is compared with the metadata.
    ///   - challenge: the challenge of its 401, if there is one.
    ///   - requiresListedPKCE: whether a server must list `S256`. Pass `false` for a server that you know, and for
    ///     grants without a sign-in.
    ///   - transport: sends the requests, for instance `URLSession.shared`.
    ///   - clock: the system's, or a `ManualClock` in tests.
    ///   - allows: whether a URL may be called. Pass it where users type URLs: names are not resolved.
    /// - Throws: ``ProtectedResourceError``, errors of the transport, and `CancellationError`.
    public static func discover(
        _ url: String, challenge: AuthenticationChallenge? = nil, requiresListedPKCE: Bool = true,
        transport: any TokenTransport, clock: any AuthorizationClock = .system,
        allows: @escaping @Sendable (URL) -> Bool = { _ in true }
    ) async throws -> ProtectedResource {
        try await ResourceDiscovery(of: url, over: transport, clock: clock, allows: allows)
            .resource(challenge, requiresListedPKCE: requiresListedPKCE)
    }
}

/// The metadata of a resource that was asked for them.
struct ResourceDocument: Sendable {
    let identifier: String
    let issuers: [String]
    let scopes: Set<String>
    let members: [String: JSONValue]
    /// How long the document may be kept.
    let maxAge: Duration
}

/// One discovery, within its limits.
struct ResourceDiscovery: Sendable {
    private let url: String
    private let addresses: ResourceAddresses
    let transport: LimitedTransport

    init(
        of url: String, over transport: any TokenTransport, clock: any AuthorizationClock,
        allows: @escaping @Sendable (URL) -> Bool
    ) throws {
        self.url = url
        addresses = try ResourceAddresses(of: url, allows: allows)
        self.transport = LimitedTransport(transport, clock: clock, addresses: addresses)
    }

    /// Returns the resource's metadata; `nil` if there are none.
    ///
    /// - Parameter asks: whether the resource is asked for a challenge if the well-known places have none.
    func document(_ challenge: AuthenticationChallenge?, asks: Bool = false) async throws -> ResourceDocument? {
        var problem: (any Error)?
        for place in places(challenge) {
            guard let response = try await transport.metadata(at: place, else: &problem) else { continue }
            try ProtectedResourceError.checkAvailability(response, "resource_metadata", at: transport.clock.now)
            // Some servers answer unknown paths with a page and the status 200.
            if response.statusCode == 200, let object = try? AnswerObject(response) {
                return try read(object, response)
            }
            if problem == nil, let redirect = DiscoveryProblem.redirect(response, from: place) {
                problem = ProtectedResourceError(.noMetadata, member: "resource_metadata", detail: redirect.detail)
            }
        }
        // Only a challenge says where else they are, and a program that signs in by itself has none.
        if asks, let own = try? await self.challenge(), places(own) != places(nil) { return try await document(own) }
        if let problem { throw ProtectedResourceError.of(problem) }
        return nil
    }

    /// Reads the resource's metadata, and finds its server.
    ///
    /// Without metadata the origin of the resource is taken for the issuer (MCP 2025-03-26).
    func resource(_ challenge: AuthenticationChallenge?, requiresListedPKCE: Bool) async throws -> ProtectedResource {
        let document = try await document(challenge, asks: challenge == nil)
        let issuers = document?.issuers ?? [addresses.origin.description]
        var found = ProtectedResource(
            identifier: document?.identifier ?? url,
            server: try await server(of: issuers, requiresListedPKCE: requiresListedPKCE),
            scopesSupported: document?.scopes ?? [], additionalMetadata: document?.members ?? [:])
        if let scopes = challenge?.scope, !scopes.isEmpty { found.scopes = scopes }
        return found
    }

    /// Returns a challenge that names the metadata. Asks the resource for one with a request that carries nothing out.
    ///
    /// - Throws: also if the resource cannot answer now.
    func challenge(_ known: AuthenticationChallenge? = nil) async throws -> AuthenticationChallenge? {
        guard known?.resourceMetadata == nil, let url = URL(string: url) else { return known }
        let response = try await transport.send(TokenRequest(method: "HEAD", url: url))
        // 501: it does not know the method.
        if response.statusCode != 501 {
            try ProtectedResourceError.checkAvailability(response, "resource", at: transport.clock.now)
        }
        return response.unauthorized?.challenges.first { $0.isScheme("Bearer") || $0.isScheme("DPoP") } ?? known
    }

    // MARK: -

    /// The place that the challenge names, if it has a host, and the well-known ones of URL and origin (RFC 9728 §3.1).
    private func places(_ challenge: AuthenticationChallenge?) -> [URL] {
        let (host, path) = url.splitBeforePath
        // A slash that ends the host is no path, also before a query.
        let rest = path == "/" || path.utf8.starts(with: "/?".utf8) ? path.dropFirst() : path
        let root = "\(host)/.well-known/oauth-protected-resource"
        let found = [challenge?.resourceMetadata, URL(string: "\(root)\(rest)"), URL(string: root)]
        return found.compactMap { $0 }.reduce(into: []) { if Origin($1) != nil, !$0.contains($1) { $0.append($1) } }
    }

    private func read(_ object: AnswerObject, _ response: TokenResponse) throws -> ResourceDocument {
        guard object.isWhole, let identifier = object.text("resource") else {
            throw ProtectedResourceError(
                .unusable, member: "resource", detail: "it must name the resource once (RFC 9728 §2)")
        }
        guard AuthorizationServer.isSameIssuer(identifier, url) || isParent(identifier) else {
            throw ProtectedResourceError(.otherResource, member: "resource")
        }
        let issuers = object.texts("authorization_servers")
        guard !issuers.isEmpty else {
            throw ProtectedResourceError(
                .unusable, member: "authorization_servers",
                detail: "it must list the issuers; name the server with known:")
        }
        let own: Set = ["resource", "authorization_servers", "scopes_supported"]
        return ResourceDocument(
            identifier: identifier, issuers: issuers, scopes: Set(object.texts("scopes_supported")),
            members: object.members.filter { !own.contains($0.key) }, maxAge: response.maxAge)
    }

    /// Whether a resource is a parent of the URL at a slash of the same origin.
    ///
    /// RFC 9728 §3.3 wants the same URL; servers whose metadata are at the root name the origin.
    private func isParent(_ identifier: String) -> Bool {
        guard let parent = URL(string: identifier), Origin(parent) == addresses.origin, parent.query() == nil,
            parent.fragment() == nil, parent.user == nil, DotSegments.removed(fromURL: identifier) == identifier
        else { return false }
        let path = parent.path(percentEncoded: true)
        let start = path.hasSuffix("/") ? path : path + "/"
        return URL(string: url)?.path(percentEncoded: true).utf8.starts(with: start.utf8) == true || start == "/"
    }

    /// The first usable server of a list. At most two are asked.
    private func server(of issuers: [String], requiresListedPKCE: Bool) async throws -> AuthorizationServer {
        var failures: [any Error] = []
        var asked = 0
        for issuer in issuers.prefix(16) where asked < 2 {
            do {
                guard let url = URL(string: issuer) else {
                    throw ProtectedResourceError(
                        .unusable, member: "authorization_servers", detail: "an issuer is a URL")
                }
                try addresses.check(url, "authorization_servers")
                asked += 1
                return try await transport.server(of: issuer, requiresListedPKCE: requiresListedPKCE)
            } catch  where !(error is CancellationError) {
                failures.append(ProtectedResourceError.of(error))
            }
        }
        // The same may work later.
        let passing = failures.first { error in
            (error as? ProtectedResourceError)?.problem == .unavailable || error is TokenTransportError
        }
        throw passing ?? failures.first ?? ProtectedResourceError(.noMetadata, member: "authorization_servers")
    }
}

/// Sends the requests of one discovery: 10 s, 12 requests (one for a challenge), 64 KiB each, allowed addresses.
struct LimitedTransport: TokenTransport {
    let clock: any AuthorizationClock
    private let base: any TokenTransport
    private let addresses: ResourceAddresses
    private let end: Duration
    private let left = Lock(12)

    init(_ base: any TokenTransport, clock: any AuthorizationClock, addresses: ResourceAddresses) {
        (self.base, self.clock, self.addresses) = (base, clock, addresses)
        end = clock.uptime + .seconds(10)
    }

    func send(_ request: TokenRequest) async throws -> TokenResponse {
        try addresses.check(request.url, "resource_metadata")
        let remaining = end - clock.uptime
        left.withLock { $0 -= 1 }
        guard remaining > .zero, left.withLock({ $0 }) >= 0 else {
            throw ProtectedResourceError(.unavailable, detail: "discovery took too long")
        }
        var request = request
        (request.timeout, request.maximumResponseLength) = (min(request.timeout, remaining), Self.longest)
        let response = try await base.send(request)
        guard response.body.count <= Self.longest else {
            throw TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed)
        }
        return response
    }

    private static let longest = 64 << 10

    /// Reads the metadata of a server, and checks its endpoints.
    func server(of issuer: String, requiresListedPKCE: Bool) async throws -> AuthorizationServer {
        var server = try await AuthorizationServer.discover(issuer: issuer, transport: self, clock: clock)
        for (name, url) in server.namedEndpoints { try addresses.check(url, name) }
        server.quirks.requiresListedPKCE = requiresListedPKCE
        if requiresListedPKCE, server.listedChallengeMethods?.contains("S256") != true {
            throw ProtectedResourceError(.noPKCE, member: "code_challenge_methods_supported")
        }
        return server
    }
}

extension TokenResponse {
    /// How long the answer may be kept (RFC 9111 §5.2.2.1): at most an hour.
    fileprivate var maxAge: Duration {
        let parts = headerValues(for: "Cache-Control").joined(separator: ",").lowercased().split(separator: ",")
        let texts = parts.map { part in part.trimmingPrefix { $0 == " " } }
        let ages = texts.filter { $0.hasPrefix("max-age=") }.compactMap { Int($0.dropFirst(8)) }
        return .seconds(min(max(ages.first ?? 0, 0), 3600))
    }
}

/// The addresses to which metadata may lead (RFC 9728 §7.7): a resource must not send its clients into a private network.
///
/// Only literal addresses are told apart. Names are not resolved, so a server whose users type URLs passes `allows`.
struct ResourceAddresses: Sendable {
    let origin: Origin
    private let kind: AddressKind
    private let allows: @Sendable (URL) -> Bool

    /// - Throws: ``ProtectedResourceError`` if the resource itself must not be called.
    init(of resource: String, allows: @escaping @Sendable (URL) -> Bool = { _ in true }) throws(ProtectedResourceError)
    {
        guard let url = URL(string: resource), let origin = Origin(url), let kind = AddressKind(host: origin.host)
        else {
            throw ProtectedResourceError(.unusable, member: "resource", detail: "write a URL with scheme and host")
        }
        (self.origin, self.kind, self.allows) = (origin, kind, allows)
        try check(url, "resource")
    }

    /// Throws unless a URL may be called: `https`, or `http` on loopback if the resource is there too.
    ///
    /// - Parameter member: the name of the URL in the metadata, for the error.
    func check(_ url: URL, _ member: String) throws(ProtectedResourceError) {
        guard let objection = objection(to: url) else { return }
        throw ProtectedResourceError(.forbiddenAddress, member: member, detail: objection)
    }

    private func objection(to url: URL) -> String? {
        guard let target = Origin(url), ["https", "http"].contains(url.scheme?.lowercased() ?? ""),
            url.user == nil, url.fragment() == nil, let kind = AddressKind(host: target.host)
        else { return "it is no plain URL of a server" }
        guard target.scheme == "https" || (target.isLoopback && kind == .loopback && self.kind == .loopback) else {
            return "it must use https"
        }
        guard kind == .open || kind == self.kind else {
            return "it is a \(kind) address, and the resource has no such one"
        }
        return allows(url) ? nil : "this program does not allow it"
    }
}
