// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// Keeps a token in a file that only its user can open: the default on Linux.
///
///     let store = RestrictedFileTokenStore<MyToken>(client: "CLIENT_ID", account: "me")
///     let auth = RefreshableTokenAuthorization(service: service, store: store)
///
/// Any number of processes on the machine may share it: an app and its tools, the workers of a server. They refresh a
/// rotating token once, and see within a second when one of them signs in or out. The file is not encrypted: who can act as
/// this user, or reads the disk, can read it. `EncryptedTokenStore` seals it.
///
/// Every failure is a ``TokenStoreError``: a full disk, a folder that others can enter, a symbolic link in place of a file.
/// Nothing is overwritten then, and the provider goes on with the token in its memory.
public struct RestrictedFileTokenStore<Token: AuthorizationToken & Codable>: SharedCodableTokenStore,
    RedactedDescription
{
    public let items: RestrictedFileItems
    private let decoded = DecodedItem<Token>()

    /// Names the token; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - client: for whom tokens are issued, such as an OAuth client's id; any text.
    ///   - account: whose token it is; any text. Upper and lower case differ.
    ///   - folder: where the files are.
    public init(client: String, account: String, folder: TokenFolder = .default) {
        self.init(RestrictedFileItems(client: client, account: account, folder: folder))
    }

    /// Keeps the token in an item that is named already.
    public init(_ items: RestrictedFileItems) { self.items = items }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        try await loadWithIntent(decode: decoded.decode)
    }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token> {
        defer { decoded.forget() }
        return try await save(stored, replacing: condition, ending: intent, decode: decoded.decode)
    }

    public func clear() async throws {
        decoded.forget()
        try await items.clear()
    }
}

extension TokenStore {
    /// A file that only its user can open; see ``RestrictedFileTokenStore``.
    ///
    ///     let auth = RefreshableTokenAuthorization(service: service, store: .restrictedFile(client: "tool", account: "me"))
    public static func restrictedFile<Token: AuthorizationToken & Codable>(
        client: String, account: String, folder: TokenFolder = .default
    ) -> Self where Self == RestrictedFileTokenStore<Token> {
        RestrictedFileTokenStore(client: client, account: account, folder: folder)
    }
}
