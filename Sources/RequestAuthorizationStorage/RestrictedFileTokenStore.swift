// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores a token in a file that only its owner can open. It is the default on Linux.
///
///     let store = RestrictedFileTokenStore<MyToken>(client: "CLIENT_ID", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// Any number of processes on the machine may share it, such as an app and its tools or the workers of a server. They
/// refresh a rotating token only once, and see within a second when one of them signs in or out.
///
/// Programs of the same user and readers of the disk can read the file. `EncryptedTokenStore` encrypts it.
///
/// Every failure is a `TokenStoreError`, such as a full disk, a folder that others can enter, or a symbolic link in
/// place of a file. Nothing is overwritten then, and the provider continues with the token in memory.
public struct RestrictedFileTokenStore<Token: AuthorizationToken & Codable>: SharedCodableTokenStore,
    RedactedDescription
{
    public let items: RestrictedFileItems
    private let decoded = DecodedItem<Token>()

    /// Names the file. It is opened on first use.
    ///
    /// - Parameters:
    ///   - client: the client that tokens are issued to, such as an OAuth client id; any text.
    ///   - account: the owner of the token; any text. Upper and lower case differ.
    ///   - folder: the folder of the files.
    public init(client: String, account: String, folder: TokenFolder = .default) {
        self.init(RestrictedFileItems(client: client, account: account, folder: folder))
    }

    /// Stores the token in an item that has its name already.
    public init(_ items: RestrictedFileItems) { self.items = items }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        try await items.tokenWithIntent(decode: decoded.decode)
    }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        defer { decoded.forget() }
        return try await items.save(stored, replacing: condition, ending: intent, decode: decoded.decode)
    }

    public func clear() async throws {
        decoded.forget()
        try await items.clear()
    }
}

extension TokenStore {
    /// A file that only its owner can open; see ``RestrictedFileTokenStore/init(client:account:folder:)``.
    ///
    ///     let auth = RefreshableTokenAuthorization(service: service, store: .restrictedFile(client: "tool", account: "me"))
    public static func restrictedFile<Token: AuthorizationToken & Codable>(
        client: String, account: String, folder: TokenFolder = .default
    ) -> Self where Self == RestrictedFileTokenStore<Token> {
        RestrictedFileTokenStore(client: client, account: account, folder: folder)
    }
}

/// Caches the last decoded item, because a conditional save decodes the item that was loaded just before.
private final class DecodedItem<Token: AuthorizationToken & Codable>: Sendable {
    private let last = Lock<(item: Data, stored: StoredToken<Token>)?>(nil)

    /// - Throws: ``UnreadableItem``.
    @Sendable func decode(_ item: Data) throws -> StoredToken<Token> {
        if let last = last.withLock({ $0 }), last.item == item { return last.stored }
        let stored = try StoredTokenFormat<Token>.decode(item)
        _ = last.exchange((item, stored))
        return stored
    }

    func forget() { _ = last.exchange(nil) }
}
