// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The storage of ``KeychainTokenStore``: a generic password.
public struct KeychainTokenItem: ByteStore, RedactedDescription {
    let query: KeychainQuery
    let keychain: any KeychainCalls
    private let queue = BlockingQueue("Keychain")

    /// A limit for the case that other processes keep adding and deleting the item.
    static let attempts = 8

    public func load() async throws -> Data? { try await queue.run { try read() } }
    public func save(_ item: Data) async throws { try await queue.run { try write(item) } }
    public func clear() async throws { try await queue.run { try remove() } }

    /// Returns the value of the item, and adds the item with this value if it does not exist.
    func load(orAdding value: Data) async throws -> Data { try await queue.run { try read(orAdding: value) } }
}

// MARK: - What the statuses mean

extension KeychainTokenItem {
    private func read() throws -> Data? {
        let (status, value) = keychain.copyMatching(query)
        if status == .itemNotFound { return nil }
        guard status == .success else { throw status.error(query) }
        guard let value else { throw TokenStoreError(.corrupt, "the Keychain item has no value; sign in again") }
        return value
    }

    /// Adds the item, or updates one that exists. If it was deleted in between, adds it again.
    private func write(_ value: Data) throws {
        for _ in 0..<Self.attempts {
            let added = keychain.add(query, value: value)
            if added == .success { return }
            guard added == .duplicateItem else { throw added.error(query) }
            let updated = keychain.update(query, value: value)
            if updated == .success { return }
            guard updated == .itemNotFound else { throw updated.error(query) }
        }
        throw Self.neverSettled
    }

    private func read(orAdding value: Data) throws -> Data {
        for _ in 0..<Self.attempts {
            if let value = try read() { return value }
            let added = keychain.add(query, value: value)
            if added == .success { return value }
            guard added == .duplicateItem else { throw added.error(query) }
        }
        throw Self.neverSettled
    }

    private static let neverSettled = TokenStoreError(
        .unavailable, "other processes kept adding and deleting the same Keychain item; it is tried again")

    private func remove() throws {
        let status = keychain.delete(query)
        guard status == .success || status == .itemNotFound else { throw status.error(query) }
    }
}

extension KeychainStatus {
    /// The error to throw. An unknown status counts as unavailable, which does not sign out.
    func error(_ query: KeychainQuery) -> TokenStoreError {
        switch self {
        case .interactionNotAllowed, .interactionRequired, .inDarkWake:
            TokenStoreError(.unavailable, "the Keychain is locked (\(self)); it opens when the device is unlocked")
        case .userCanceled, .authFailed:
            TokenStoreError(.unavailable, "access to the Keychain item was refused (\(self)); allow it and try again")
        case .missingEntitlement: missingEntitlement(query)
        case .noSuchKeychain, .noDefaultKeychain:
            TokenStoreError(
                .unsuitable, "this user has no login keychain (\(self)); use RestrictedFileTokenStore, or create one")
        case .readOnly: TokenStoreError(.readOnly, "the Keychain is read-only (\(self)); allow writing to it")
        case .decode: TokenStoreError(.corrupt, "the Keychain item cannot be decrypted (\(self)); sign in again")
        case .diskFull: TokenStoreError(.noSpace, "the disk is full (\(self)); free some space, it is tried again")
        default: TokenStoreError(.unavailable, "the Keychain could not be used (\(self)); it is tried again")
        }
    }

    private func missingEntitlement(_ query: KeychainQuery) -> TokenStoreError {
        if let group = query.accessGroup {
            return TokenStoreError(
                .unsuitable,
                "this program is not in the keychain access group \(group) (\(self)); add it to its entitlements")
        }
        return TokenStoreError(
            .unsuitable,
            """
            this program may not use the Keychain (\(self)); sign it with an application identifier or a keychain \
            access group, or choose KeychainTokenStore(…, keychain: .file) on a Mac, or RestrictedFileTokenStore
            """)
    }
}
