// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationStorage

// MARK: - RequestAuthorization

struct PlainRequest: AuthorizableRequest {
    var fields: [String: String] = [:]

    var origin: Origin? { "https://api.example.com" }
    var isPlaintext: Bool { origin.map { $0.scheme == "http" && !$0.isLoopback } ?? true }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field] }
    mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
}

struct PlainResponse: AuthorizableResponse {
    let statusCode: Int
    func headerValues(for field: String) -> [String] { [] }
}

struct PlainClock: AuthorizationClock {
    var now: Date { Date() }
    var uptime: Duration { SystemClock.system.uptime }
    func sleep(for duration: Duration) async throws { try await SystemClock.system.sleep(for: duration) }
}

struct PlainProvider: AuthorizationProvider {
    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential("Bearer plain", receipt: PlainReceipt())
    }

    func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? { nil }
}

struct PlainReceipt: CredentialReceipt {
    var wantsEveryAnswer: Bool { false }
    var isCurrent: Bool { true }
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict { .accept }
    func admit(_ next: Credential) throws {}
}

struct PlainToken: AuthorizationToken, Codable, Equatable {
    let value: String
    var expiresAt: Date? { nil }
    var authorizationHeaderValue: String { "Bearer \(value)" }
}

struct PlainFailure: TokenServiceFailure {
    var kind: TokenFailureKind { .transient }
    var retryAfter: Duration? { nil }
    var delivery: TokenRequestDelivery { .notSent }
}

struct PlainProof: RequestProof {
    func fields(for request: ProvenRequest) async throws -> [String: String] { ["X-Proof": request.uri] }

    func learn(from response: some AuthorizableResponse, to request: ProvenRequest) -> ProofOutcome { .settled }
}

struct PlainService: RefreshableTokenService {
    var serverOrigin: Origin? { nil }
    var proofFields: Set<String> { ["X-Proof"] }

    func refresh(_ token: PlainToken) async throws -> PlainToken { token }
    func initialToken() async throws -> PlainToken { throw PlainFailure() }
    func completed(_ token: PlainToken) -> PlainToken { token }
    func discard(_ token: PlainToken) async {}
    func revoke(_ token: PlainToken) async throws {}
    func proof(for token: PlainToken) throws -> (any RequestProof)? { nil }
}

struct PlainTransport: TokenTransport {
    func send(_ request: TokenRequest) async throws -> TokenResponse {
        TokenResponse(statusCode: 200, body: Array(#"{"access_token":"custom","token_type":"Bearer"}"#.utf8))
    }
}

actor PlainTokenStore: TokenStore {
    private var stored: StoredToken<PlainToken>?

    nonisolated var changes: AsyncStream<Void>? { nil }
    nonisolated var isSharedBetweenDevices: Bool { false }

    func load() async throws -> StoredToken<PlainToken>? { stored }
    func save(_ stored: StoredToken<PlainToken>) async throws { self.stored = stored }
    func clear() async throws { stored = nil }
}

actor PlainSharedStore: SharedTokenStore {
    private var stored: StoredToken<PlainToken>?
    private var intent: RefreshIntent?

    func load() async throws -> StoredToken<PlainToken>? { stored }
    func save(_ stored: StoredToken<PlainToken>) async throws { self.stored = stored }
    func clear() async throws { stored = nil }

    func lock(within limit: Duration) async throws -> TokenStoreLock { TokenStoreLock {} }

    func loadWithIntent() async throws -> TokenWithIntent<PlainToken> { TokenWithIntent(stored, intent: intent) }

    func save(
        _ stored: StoredToken<PlainToken>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<PlainToken>> {
        guard condition.allows(self.stored) else { return .refused(self.stored) }
        self.stored = stored
        if intent != nil, self.intent == intent { self.intent = nil }
        return .saved
    }

    func setIntent(_ intent: RefreshIntent?) async throws { self.intent = intent }
}

struct PlainPlace: NamedItems {
    let sharedItem = PlainItems()

    func item(named name: String, kind: String) -> PlainItems { sharedItem }
    func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock {
        TokenStoreLock {}
    }
}

actor PlainItems: ByteStore {
    private var item: Data?

    nonisolated var changes: AsyncStream<Void>? { nil }
    nonisolated var isSharedBetweenDevices: Bool { false }

    func load() async throws -> Data? { item }
    func save(_ item: Data) async throws { self.item = item }
    func clear() async throws { item = nil }
    func setAside(_ item: Data) async throws -> String? { nil }
}

actor PlainDatabase: RecordDatabase {
    private var records: [String: Data] = [:]

    func read(_ key: String) async throws -> DatabaseRecord? { records[key].map { DatabaseRecord($0) } }

    func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        guard records[key] == old else { return false }
        records[key] = new
        return true
    }
}

actor PlainSharedItems: SharedByteStore {
    private var item: Data?
    private var intent: Data?

    func load() async throws -> Data? { item }
    func save(_ item: Data) async throws { self.item = item }
    func clear() async throws { item = nil }

    func lock(within limit: Duration) async throws -> TokenStoreLock { TokenStoreLock {} }

    func loadWithIntent() async throws -> ItemWithIntent { ItemWithIntent(item, intent: intent) }

    func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        guard try condition(self.item, .gone) else { return .refused(self.item) }
        self.item = item
        if intent != nil, self.intent == intent { self.intent = nil }
        return .saved
    }

    func clear(_ item: Data) async throws { if self.item == item { self.item = nil } }
    func saveIntent(_ intent: Data?) async throws { self.intent = intent }
}

// MARK: - RequestAuthorizationStorage

struct PlainItemStore: CodableTokenStore {
    typealias Token = PlainToken
    let items: PlainItems
}

struct PlainSharedItemStore: SharedCodableTokenStore {
    typealias Token = PlainToken
    let items: PlainSharedItems
}

struct PlainKeySource: TokenKeySource {
    func load() async throws -> Data? { nil }
    func keep(_ key: Data) async throws -> Data { key }
}

// MARK: - RequestAuthorizationOAuth

struct PlainRecords: ResourceRecords {
    func record(named name: String) async throws -> Data? { nil }
    func save(_ record: Data, named name: String) async throws {}
    func tokens(named name: String) -> any TokenStore<OAuthToken> { InMemoryTokenStore<OAuthToken>() }
    func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock { TokenStoreLock {} }
}

struct PlainReceiver: CallbackReceiver {
    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let redirectURI = "com.example.app:/callback"
        do { try await show(try await start(redirectURI).url) } catch is PlainFailure {}
        guard let callback = URL(string: "\(redirectURI)?code=1&state=s") else { throw PlainFailure() }
        return callback
    }

    func preferring(_ redirectURI: String) -> PlainReceiver { self }
    func dedicated(to issuer: String) -> PlainReceiver { self }
}

struct PlainAuthenticator: ClientAuthenticator {
    var isPublic: Bool { false }

    func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        ClientProof(parameters: [(name: "client_id", value: request.clientID)])
    }
}

struct PlainPendingSignIns: PendingSignInStore {
    func add(_ pending: PendingSignIn) async throws {}
    func find(state: String) async throws -> PendingSignIn? { nil }
    func take(state: String) async throws -> PendingSignIn? { nil }
}

struct PlainSigner: TokenSigner {
    var algorithm: SignatureAlgorithm { .es256 }
    var keyID: String? { nil }
    func sign(_ message: [UInt8]) async throws -> [UInt8] { message }
}
