// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Keeps what programs know about resources: the server, the registration, the session, and who is signing in.
///
///     records: .items(.default(client: "com.example.app"))        // of RequestAuthorizationStorage: Keychain or files
///     records: .items(.tool(client: "tool"))                      // files that all commands of a user share
///
/// Records of your own, for instance in a database, need four functions. Registrations and sessions contain secrets.
public protocol ResourceRecords: Sendable {
    /// Reads a record; `nil` if there is none.
    ///
    /// The names are `resource` and a URL for its session, `registrations` and an issuer for the clients there, and
    /// `sign-in` and a URL for who asked last. Records that can list their names can thus list the sessions.
    ///
    /// - Parameter name: any text, such as a URL. Upper and lower case differ. It is not secret.
    func record(named name: String) async throws -> Data?

    /// Replaces a record.
    func save(_ record: Data, named name: String) async throws

    /// Returns the store of a session. Each call with the same name returns a store of the same token.
    func tokens(named name: String) -> any TokenStore<OAuthToken>

    /// Acquires exclusive access to a name, among all who may use these records at the same time.
    ///
    /// - Throws: `TokenStoreError` of the kind `timedOut` if the limit is over; `CancellationError` at once when the
    ///   task is cancelled.
    func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock
}

extension ResourceRecords where Self == InMemoryResourceRecords {
    /// New records for one program, which end with it. (A server with many users has records for each.)
    public static var inMemory: InMemoryResourceRecords { InMemoryResourceRecords() }
}

extension ResourceRecords {
    /// Records in a place for named items. What is kept there is as well protected as the place is.
    public static func items<Place: NamedItems>(_ place: Place) -> Self where Self == ItemResourceRecords<Place> {
        ItemResourceRecords(in: place)
    }

    /// The value of a record; `nil` also for one that cannot be read: it is made anew.
    func value<Value: Decodable>(named name: String) async throws -> Value? {
        try await record(named: name).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    func save(value: some Encodable, named name: String) async throws {
        try await save(try JSONEncoder.sorted.encode(value), named: name)
    }

    /// The registrations at an issuer, the newest first.
    func registrations(at issuer: String) async throws -> [ClientRegistration] {
        try await value(named: "registrations \(issuer)") ?? []
    }

    /// Keeps a registration, in place of an older one for the same redirect URI. Eight are kept.
    func keep(_ registration: ClientRegistration, at issuer: String) async throws {
        let others = try await registrations(at: issuer).filter { $0.redirectURI != registration.redirectURI }
        try await save(value: Array(([registration] + others).prefix(8)), named: "registrations \(issuer)")
    }

    /// Forgets a registration that the server no longer accepts, so that the next sign-in registers anew.
    func forget(_ client: OAuthClient, at issuer: String) async {
        try? await lock(named: "registration \(issuer)", within: .seconds(60)).whileHeld {
            let kept = try await registrations(at: issuer)
            let others = kept.filter { $0.client.id != client.id }
            if others.count < kept.count { try await save(value: others, named: "registrations \(issuer)") }
        }
    }
}

/// Records in memory.
public final class InMemoryResourceRecords: ResourceRecords, RedactedDescription {
    private let records = Lock<[String: Data]>([:])
    private let stores = Lock<[String: InMemoryTokenStore<OAuthToken>]>([:])
    private let locks = NamedLocks<String>()

    package init() {}

    public func record(named name: String) -> Data? { records.withLock { $0[name] } }
    public func save(_ record: Data, named name: String) { records.withLock { $0[name] = record } }

    public func tokens(named name: String) -> any TokenStore<OAuthToken> {
        stores.withLock { stores in
            let store = stores[name] ?? InMemoryTokenStore()
            stores[name] = store
            return store
        }
    }

    /// The limit does not count: nobody else can hold the lock but this program.
    public func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
        try await locks.lock(name)
    }
}

/// Records in a place for named items, such as a folder of files that all programs of a user share.
public struct ItemResourceRecords<Place: NamedItems>: ResourceRecords, RedactedDescription {
    private let place: Place

    package init(in place: Place) { self.place = place }

    public func record(named name: String) async throws -> Data? { try await item(name).load() }
    public func save(_ record: Data, named name: String) async throws { try await item(name).save(record) }

    public func tokens(named name: String) -> any TokenStore<OAuthToken> {
        ItemTokens(items: place.item(named: name, kind: "resource session"))
    }

    /// Locks a name of its own, so that a refresh of the session does not wait for a person.
    public func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
        try await place.lock(named: name, kind: "resource sign-in", within: limit)
    }

    private func item(_ name: String) -> Place.Item { place.item(named: name, kind: "resource") }
}

// MARK: - What is kept of a resource

/// What is kept of a sign-in, so that a later start needs no discovery.
struct ResourceRecord: Codable, Sendable {
    /// Tells this sign-in from others.
    var signIn = UUID()
    var resource: ProtectedResource
    var registration: ClientRegistration
    /// All scopes that were requested.
    var requested: Set<String>
    /// Whether the program has named the server, whatever the resource lists; `nil` is no.
    var isKnown: Bool?
    /// The sign-in with which its line began, if a request needed this one; `nil` if the program asked for it.
    var line: UUID?
    /// The session of its token in the store; `nil` in records of earlier versions.
    var session: UUID?

    /// The name of the token's store: one for each resource, server and client.
    func tokens(of url: String) -> String { "\(url) \(resource.server.issuer ?? "") \(registration.client.id)" }
}

/// The process that asks its user, in the records from then on.
struct ResourceAsker: Codable, Sendable {
    var process = ProcessInfo.processInfo.processIdentifier
    var since: Date
    var deniedAt: Date?
}

/// A sign-in that is under way, here or in another process.
public struct SignInUnderWay: Sendable, Hashable {
    /// The process that asks its user.
    public let process: Int32
    /// When it began to ask.
    public let since: Date
}

/// The session of a resource as it is stored, without its secrets.
public struct ResourceSessionSummary: Sendable, Hashable {
    /// The resource's own name, which may be a parent of the URL.
    public let resource: String
    /// The server that issued the token.
    public let issuer: String?
    /// The client that the token was issued to.
    public let clientID: String
    /// What the token may be used for.
    public let scopes: Set<String>
    /// When the access token expires; `nil` if the server did not say.
    public let expiresAt: Date?
    /// Whether the session goes on when the token has expired.
    public let isRefreshable: Bool
    /// Whether the token is bound to a key (RFC 9449).
    public let isBound: Bool

    init(_ record: ResourceRecord, _ token: OAuthToken) {
        (resource, issuer) = (record.resource.identifier, record.resource.server.issuer)
        (clientID, scopes) = (record.registration.client.id, token.scopes)
        expiresAt = token.expiresAt == .distantFuture ? nil : token.expiresAt
        (isRefreshable, isBound) = (token.refreshToken != nil, token.isBound)
    }
}

extension ResourceSettings {
    var sessionName: String { "resource \(url)" }
    /// The name of the lock of sign-ins, and of the record of who has it.
    var askerName: String { "sign-in \(url)" }

    func record() async throws -> ResourceRecord? { try await records.value(named: sessionName) }
    func asker() async throws -> ResourceAsker? { try await records.value(named: askerName) }
    func store(of record: ResourceRecord) -> any TokenStore<OAuthToken> {
        records.tokens(named: record.tokens(of: url))
    }

    /// The record of the last sign-in, and its token if the session has not ended.
    func stored() async throws -> ResourceSessionSummary? {
        guard let record = try await record(), let token = try await store(of: record).load()?.token else { return nil }
        return ResourceSessionSummary(record, token)
    }

    /// The process that holds the lock of sign-ins is signing in.
    func signInUnderWay() async throws -> SignInUnderWay? {
        do {
            // Files need a moment to be opened.
            try await records.lock(named: askerName, within: .milliseconds(100)).unlock()
            return nil
        } catch let error as TokenStoreError where error.kind == .timedOut {
            return try await asker().map { SignInUnderWay(process: $0.process, since: $0.since) }
        }
    }
}
