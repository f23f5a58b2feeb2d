// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores the token of a command-line tool in a file that only its owner can open, on every platform.
///
///     let auth = RefreshableTokenAuthorization(
///         service: service, store: .tool(client: "CLIENT_ID", account: "me"), policy: .tool)
///
/// The file is a ``RestrictedFileTokenStore``: commands that run at the same time refresh a rotating token only once.
///
/// On a Mac an earlier version of the tool may have used `.default(client:account:)`, the Keychain. The first use moves
/// that item to the file and leaves a marker in the Keychain. If anything was ever saved in the file, a sign-out
/// included, the Keychain is not read.
///
/// Not run on Apple hardware: its decisions are tested against simulated Keychain status codes.
public final class ToolTokenStore<Token: AuthorizationToken & Codable>: SharedTokenStore, RedactedDescription {
    private let file: RestrictedFileTokenStore<Token>
    /// The store of an earlier version of the tool.
    private let former: (any TokenStore<Token>)?
    private let hasLooked = Lock(false)

    init(_ file: RestrictedFileTokenStore<Token>, former: (any TokenStore<Token>)?) {
        (self.file, self.former) = (file, former)
    }

    /// Names the file. It is opened on first use.
    ///
    /// - Parameters:
    ///   - client: the client that tokens are issued to, such as an OAuth client id; any text.
    ///   - account: the owner of the token; any text. Upper and lower case differ.
    ///   - folder: the folder of the files.
    public convenience init(client: String, account: String, folder: TokenFolder = .default) {
        let file = RestrictedFileTokenStore<Token>(client: client, account: account, folder: folder)
        // CI type-checks the branch of the Mac on Linux, hence not `os(macOS)`.
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

    /// Removes the token, also one that has not been moved from the Keychain yet.
    public func clear() async throws {
        try await withoutKeychain { try await former?.clear() }
        try await file.clear()
    }

    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        // The migration takes the lock itself, so it must be done before the caller has it.
        try await moveFormer()
        return try await file.lock(within: limit)
    }

    public func setIntent(_ intent: RefreshIntent?) async throws { try await file.setIntent(intent) }
    public var changes: AsyncStream<Void>? { file.changes }

    // MARK: -

    /// Moves the token of an earlier version, if nothing was ever saved in the file.
    ///
    /// - Throws: the errors of the two stores. The file is not used then: an unavailable Keychain may have a token.
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

    /// Treats a missing Keychain as empty: a tool that is not signed has none, and never stored anything there.
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
    ///   - client: the client that tokens are issued to, such as an OAuth client id.
    ///   - account: any name that tells this client's sessions apart.
    public static func tool<Token: AuthorizationToken & Codable>(
        client: String, account: String
    ) -> Self where Self == ToolTokenStore<Token> {
        ToolTokenStore(client: client, account: account)
    }
}
