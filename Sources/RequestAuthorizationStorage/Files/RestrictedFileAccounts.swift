// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Lists and removes the accounts of a client that have a restricted file.
///
///     let accounts = RestrictedFileAccounts(client: "tool")
///     for name in try await accounts.names() { print(name) }
///     try await accounts.remove("me")
public struct RestrictedFileAccounts: Sendable {
    private let client: String
    private let folder: TokenFolder
    private let layer: any FileLayer
    private let queue: any FileQueue

    /// Names the client. The folder is opened on use.
    ///
    /// - Parameters:
    ///   - client: the client of the stores.
    ///   - folder: the folder of the files.
    public init(client: String, folder: TokenFolder = .default) {
        self.init(client: client, folder: folder, layer: SystemFileLayer())
    }

    /// Names the client, with other system calls.
    @_spi(FileLayer) public init(client: String, folder: TokenFolder = .default, layer: any FileLayer) {
        (self.client, self.folder, self.layer) = (client, folder, layer)
        queue = layer.queue("accounts")
    }

    /// Returns the accounts that have a stored item, sorted, without those that signed out or were moved.
    ///
    /// A note in a file marks an encrypted sign-out. If the note could not be written, or an earlier version signed
    /// out, the account is listed until it signs in and out again.
    ///
    /// - Throws: `TokenStoreError`.
    public func names() async throws -> [String] {
        try await queue.run { [client, folder, layer] in
            let place = folder.folder(layer)
            return try place.naming("list the accounts") { try CredentialFiles.credentials(in: place) }
                .filter { $0.client.utf8.elementsEqual(client.utf8) }
                .filter { credential in
                    let files = CredentialFiles(credential, in: place)
                    // An account whose item cannot be read has one. Its store reports the error.
                    guard case .success(let kept) = Result(catching: { try files.load() }) else { return true }
                    guard let item = kept else { return false }
                    if EnvelopeFormat.isEnvelope(item) { return !files.isNotedAsEnded(item) }
                    // A damaged item counts as stored.
                    return !StoredTokenFace.isEnd(item)
                }
                .map(\.account).sorted()
        }
    }

    /// Removes all files of an account, also items that were set aside, once no refresh is under way.
    ///
    /// Processes that use the account are signed out. The token is not revoked at the server; sign out first for that.
    ///
    /// - Parameters:
    ///   - account: the account of the store.
    ///   - limit: how long to wait for a refresh that is under way.
    /// - Throws: `TokenStoreError`.
    public func remove(_ account: String, within limit: Duration = .seconds(30)) async throws {
        let items = RestrictedFileItems(client: client, account: account, folder: folder, layer: layer)
        try await items.removeAll(within: limit)
    }
}
