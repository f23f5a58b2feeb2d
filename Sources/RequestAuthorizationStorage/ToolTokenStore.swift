// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// Keeps the token of a command-line tool in a file that only its user can open, on every platform.
///
///     let auth = RefreshableTokenAuthorization(
///         service: service, store: .tool(client: "CLIENT_ID", account: "me"), policy: .tool)
///
/// Each command is a process of its own, and two that run at the same time refresh a rotating token once. It is a
/// ``RestrictedFileTokenStore``. On a Mac, where `.default(client:account:)` is the Keychain, which is not shared, the item that
/// an earlier version of the tool kept there moves to the file before anything else is done. A marker stays in the Keychain.
/// Where anything was ever saved in the file, that counts, a sign-out too, and the Keychain is not looked at.
///
/// Not run on Apple hardware: what it decides is tested against a Keychain made of status codes.
public final class ToolTokenStore<Token: AuthorizationToken & Codable>: SharedTokenStore, RedactedDescription {
    private let file: RestrictedFileTokenStore<Token>
    /// Where an earlier version may have kept the token.
    private let former: (any TokenStore<Token>)?
    private let hasLooked = Lock(false)

    init(_ file: RestrictedFileTokenStore<Token>, former: (any TokenStore<Token>)?) {
        (self.file, self.former) = (file, former)
    }

    /// Names the token; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - client: for whom tokens are issued, such as an OAuth client's id; any text.
    ///   - account: whose token it is; any text. Upper and lower case differ.
    ///   - folder: where the files are.
    public convenience init(client: String, account: String, folder: TokenFolder = .default) {
        let file = RestrictedFileTokenStore<Token>(client: client, account: account, folder: folder)
        // Tools run on a Mac and on Linux. Written so that CI checks the types of a Mac's branch on Linux.
        #if canImport(Security) && !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
        self.init(file, former: KeychainTokenStore<Token>(client: client, account: account))
        #else
        self.init(file, former: nil)
        #endif
    }

    public func load() async throws -> StoredToken<Token>? {
        try await moveFormer()
        return try await file.load()
    }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        try await moveFormer()
        return try await file.loadWithIntent()
    }

    public func save(_ stored: StoredToken<Token>) async throws {
        try await moveFormer()
        try await file.save(stored)
    }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token> {
        try await moveFormer()
        return try await file.save(stored, replacing: condition, ending: intent)
    }

    /// Removes what is kept, also what has not been moved yet.
    public func clear() async throws {
        try await withoutKeychain { try await former?.clear() }
        try await file.clear()
    }

    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        // Moving takes the lock: who has it must not have to.
        try await moveFormer()
        return try await file.lock(within: limit)
    }

    public func setIntent(_ intent: RefreshIntent?) async throws { try await file.setIntent(intent) }
    public var changes: AsyncStream<Void>? { file.changes }

    // MARK: -

    /// Moves what an earlier version kept elsewhere, if nothing was ever saved in the file.
    ///
    /// - Throws: what the stores throw. Then nothing is done with the file: "unavailable" is not "absent".
    private func moveFormer() async throws {
        guard let former, !hasLooked.withLock({ $0 }) else { return }
        let kept = try await file.items.loadWithIntent()
        if kept.item == nil, kept.absence == .placeMissing,
            try await withoutKeychain({ try await former.load() }) != nil
        {
            try await former.migrate(to: file)
        }
        hasLooked.withLock { $0 = true }
    }

    /// A tool that is not signed has no Keychain, and never had anything there.
    private func withoutKeychain<Result>(_ body: () async throws -> Result?) async throws -> Result? {
        do {
            return try await body()
        } catch let error as TokenStoreError where error.kind == .unsuitable {
            return nil
        }
    }
}

extension TokenStore {
    /// A file for a command-line tool, on every platform; see ``ToolTokenStore``.
    ///
    ///     let auth = RefreshableTokenAuthorization(
    ///         service: service, store: .tool(client: "CLIENT_ID", account: "me"), policy: .tool)
    ///
    /// - Parameters:
    ///   - client: for whom tokens are issued, such as an OAuth client's id.
    ///   - account: whose token it is: any name that tells this client's sessions apart.
    public static func tool<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> Self where Self == ToolTokenStore<Token> {
        ToolTokenStore(client: client, account: account)
    }
}
