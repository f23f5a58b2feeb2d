// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Typed calls of Spotify's Web API.
///
///     let spotify = SpotifyClient(authorization: auth)
///     print(try await spotify.currentUser().displayName ?? "?")
///     for try await track in spotify.savedTracks() { print(track.track.name) }
///     try await spotify.play(.context("spotify:album:5ht7ItJgpBH7W6vJ5BqpPr", offset: .position(3)))
///
/// The credential is sent only to the origin of the base URL. Missing scopes are ``MissingScopes`` before a request is
/// sent. An error answer is a ``SpotifyError``. After a 401 the token is refreshed once; after a 429 the call waits
/// (``RateLimitPolicy``).
public struct SpotifyClient: Sendable {
    /// The variant of the Web API that the app gets.
    public let quota: QuotaMode
    let base: URL
    let rateLimit: RateLimitPolicy
    let clock: any AuthorizationClock
    let missingScopes: @Sendable (Set<String>) async throws -> Set<String>
    let send: @Sendable (URLRequest) async throws -> (Data, URLResponse)

    /// A client for any provider.
    ///
    /// - Parameters:
    ///   - authorization: adds the credential.
    ///   - missingScopes: returns those of the given scopes that the token lacks. By default none, so that Spotify
    ///     decides.
    ///   - base: another server in place of `https://api.spotify.com`.
    ///   - session: sends the requests.
    ///   - quota: the variant of the Web API that the app gets.
    ///   - rateLimit: how to wait after a 429.
    ///   - clock: the clock for waits.
    public init(
        authorization: any AuthorizationProvider,
        missingScopes: @escaping @Sendable (Set<String>) async throws -> Set<String> = { _ in [] },
        base: URL? = nil, session: URLSession = .shared, quota: QuotaMode = .development,
        rateLimit: RateLimitPolicy = RateLimitPolicy(), clock: any AuthorizationClock = .system
    ) {
        let base = base ?? Self.webAPI
        let origin = Origin(base)
        let restricted = authorization.restricted(to: Set([origin].compactMap { $0 }))
        self.init(base: base, quota: quota, rateLimit: rateLimit, clock: clock, missingScopes: missingScopes) {
            try await session.data(for: $0, authorizedBy: restricted)
        }
    }

    init(
        base: URL, quota: QuotaMode = .development, rateLimit: RateLimitPolicy = RateLimitPolicy(),
        clock: any AuthorizationClock = .system,
        missingScopes: @escaping @Sendable (Set<String>) async throws -> Set<String> = { _ in [] },
        send: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)
    ) {
        (self.base, self.quota, self.rateLimit, self.clock) = (base, quota, rateLimit, clock)
        (self.missingScopes, self.send) = (missingScopes, send)
    }

    private static let webAPI = URL(staticString: "https://api.spotify.com")
}

// MARK: - Sending

extension SpotifyClient {
    /// Makes a call and decodes its answer.
    ///
    /// - Throws: ``MissingScopes``, ``SpotifyError``, ``UnreadableAnswer``, and the errors of the provider and of
    ///   `URLSession`.
    func answer<Answer: Decodable>(to call: WebAPICall, as type: Answer.Type = Answer.self) async throws -> Answer {
        try Self.decode(type, from: try await data(for: call))
    }

    /// The same for calls that may have no content: `nil` for a 204.
    func answerIfAny<Answer: Decodable>(to call: WebAPICall, as type: Answer.Type = Answer.self) async throws -> Answer?
    {
        let data = try await data(for: call)
        return data.isEmpty ? nil : try Self.decode(type, from: data)
    }

    /// Makes a call without a result. Its body is ignored: the player sends some that are not JSON.
    func perform(_ call: WebAPICall) async throws { _ = try await data(for: call) }

    /// Follows a link of an answer.
    ///
    /// - Throws: ``UnreadableAnswer`` for a link to another origin.
    func page<Answer: Decodable>(at link: URL, as type: Answer.Type) async throws -> Answer {
        guard let origin = Origin(link), origin == Origin(base) else { throw UnreadableAnswer(member: "next") }
        return try Self.decode(type, from: try await data(for: URLRequest(url: link)))
    }

    // MARK: -

    private func data(for call: WebAPICall) async throws -> Data {
        if !call.scopes.scopes.isEmpty {
            let missing = try await missingScopes(call.scopes.scopes)
            guard call.scopes.isMet(missing: missing) else {
                throw MissingScopes(scopes: missing, isAlternative: call.scopes.isAlternative)
            }
        }
        return try await data(for: call.request(at: base))
    }

    private func data(for request: URLRequest) async throws -> Data {
        var (attempt, waited) = (1, Duration.zero)
        while true {
            let (data, response) = try await send(request)
            guard let response = response as? HTTPURLResponse else { throw UnreadableAnswer(member: "") }
            if (200..<300).contains(response.statusCode) { return data }
            let error = SpotifyError(status: response.statusCode, body: data, retryAfter: Self.retryAfter(of: response))
            guard response.statusCode == 429,
                let wait = rateLimit.wait(after: error.retryAfter, attempt: attempt, waited: waited)
            else { throw error }
            try await clock.sleep(for: wait)
            attempt += 1
            waited += wait
        }
    }

    /// In seconds, as Spotify sends it (RFC 9110 §10.2.3).
    private static func retryAfter(of response: HTTPURLResponse) -> Duration? {
        response.value(forHTTPHeaderField: "Retry-After").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : .seconds($0) }
    }

    static func decode<Answer: Decodable>(_ type: Answer.Type, from data: Data) throws -> Answer {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: data)
        } catch let error as DecodingError {
            throw UnreadableAnswer(error)
        }
    }
}

extension SpotifyClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SpotifyClient(\(Origin(base).map(\.description) ?? "?"))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URL {
    /// A URL that is written in the program.
    fileprivate init(staticString: StaticString) {
        guard let url = URL(string: "\(staticString)") else { preconditionFailure("\(staticString) is not a URL") }
        self = url
    }
}
