// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The accounts of a client that are kept in files.
///
///     let accounts = RestrictedFileAccounts(client: "tool")
///     for name in try await accounts.names() { print(name) }
///     try await accounts.remove("me")
public struct RestrictedFileAccounts: Sendable {
    private let client: String
    private let folder: TokenFolder
    private let queue = BlockingQueue("accounts")

    /// - Parameters:
    ///   - client: the one that the stores were made with.
    ///   - folder: where the files are.
    public init(client: String, folder: TokenFolder = .default) { (self.client, self.folder) = (client, folder) }

    /// The accounts for which something is kept, sorted; those that have signed out, or that were moved, are left out.
    ///
    /// An encrypted sign-out is known by a note beside it. Where that could not be written, or an earlier version signed out,
    /// the account is listed until it signs in and out again.
    ///
    /// - Throws: ``TokenStoreError``.
    public func names() async throws -> [String] {
        try await queue.run { [client, folder] in
            let place = folder.folder(SystemFileLayer())
            return try CredentialFiles.credentials(in: place).filter { $0.client == client }
                .filter { credential in
                    let files = CredentialFiles(credential, in: place)
                    let item: Data?
                    do {
                        item = try files.load()
                    } catch {
                        // Something is kept, and what is wrong with it its own store says.
                        return true
                    }
                    guard let item else { return false }
                    if EnvelopeFormat.isEnvelope(item) { return !files.isNotedAsEnded(item) }
                    // What is no JSON of ours is damaged: something is kept.
                    return (try? JSONDecoder().decode(StoredTokenFace.self, from: item))?.holdsNothing != true
                }
                .map(\.account).sorted()
        }
    }

    /// Removes what is kept for an account, also what was set aside, once no refresh is under way.
    ///
    /// Processes that use it are signed out. It revokes nothing: sign out first if the server shall know.
    ///
    /// - Parameters:
    ///   - account: as the store was given it.
    ///   - limit: how long to wait for a refresh that is under way.
    /// - Throws: ``TokenStoreError``.
    public func remove(_ account: String, within limit: Duration = .seconds(30)) async throws {
        try await RestrictedFileItems(client: client, account: account, folder: folder).removeAll(within: limit)
    }
}
