// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The storage of ``KeychainTokenStore``: a generic password.
public struct KeychainTokenItem: ByteStore, RedactedDescription {
    let query: KeychainQuery
    let keychain: any KeychainCalls
    /// The access group in which an item that was named without one was last found or added.
    private let place = Lock<String?>(nil)
    private let queue = DispatchFileQueue("Keychain")

    /// A limit for the case that other processes keep adding and deleting the item.
    static let attempts = 8

    init(query: KeychainQuery, keychain: any KeychainCalls) {
        var query = query
        if !keychain.hasFileKeychain { query.keychain = .dataProtection }
        if query.keychain == .file { query.accessGroup = nil }
        (self.query, self.keychain) = (query, keychain)
    }

    public func load() async throws -> Data? { try await queue.run { try read() } }
    public func save(_ item: Data) async throws { try await queue.run { try write(item) } }
    public func clear() async throws { try await queue.run { try remove() } }

    /// Returns the value of the item, and adds the item with this value if it does not exist.
    func load(orAdding value: Data) async throws -> Data { try await queue.run { try read(orAdding: value) } }
}

// MARK: - What the statuses mean

extension KeychainTokenItem {
    private func read() throws -> Data? {
        for _ in 0..<Self.attempts {
            guard let item = try found() else { return nil }
            let (status, value) = keychain.copyMatching(item)
            if try status.isFound(item) {
                if let value { return value }
                throw TokenStoreError(.corrupt, "the Keychain item has no value; sign in again")
            }
            guard forgetPlace() else { return nil }
        }
        throw Self.neverSettled
    }

    /// Updates the item, or adds it if it does not exist.
    ///
    /// In the file-based keychain an update may change an item of another file, such as the system's. No add does.
    private func write(_ value: Data) throws {
        for _ in 0..<Self.attempts {
            if query.hasUnknownGroup, let item = try found() {
                if try keychain.update(item, value: value).isFound(item) { return }
                _ = forgetPlace()
            } else if try add(value) {
                return
            } else if !query.hasUnknownGroup, try keychain.update(query, value: value).isFound(query) {
                return
            }
        }
        throw Self.neverSettled
    }

    private func read(orAdding value: Data) throws -> Data {
        for _ in 0..<Self.attempts {
            if let value = try read() { return value }
            if try add(value) { return value }
        }
        throw Self.neverSettled
    }

    /// - Returns: `false` if the item exists.
    private func add(_ value: Data) throws -> Bool {
        let (status, group) = keychain.add(query, value: value)
        if status == .duplicateItem { return false }
        guard status == .success else { throw status.error(query) }
        if query.hasUnknownGroup, let group {
            keychain.firstGroup.withLock { $0 = group }
            place.withLock { $0 = group }
        }
        return true
    }

    private func remove() throws {
        // A token that stayed in one of several groups would sign the user in again.
        let groups = query.hasUnknownGroup ? try keychain.groupsWithoutName(of: query, all: true) : nil
        _ = forgetPlace()
        for item in groups?.map(query.in) ?? [query] { _ = try keychain.delete(item).isFound(item) }
    }

    private static let neverSettled = TokenStoreError(
        .unavailable, "other processes kept adding and deleting the same Keychain item; it is tried again")

    // MARK: Where the item is

    /// The query with the group that has the item. `nil` if an item that was named without a group does not exist.
    private func found() throws -> KeychainQuery? {
        guard query.hasUnknownGroup else { return query }
        if let group = place.withLock({ $0 }) { return query.in(group) }
        guard let group = try keychain.groupsWithoutName(of: query, all: false).first else { return nil }
        place.withLock { $0 = group }
        return query.in(group)
    }

    /// - Returns: whether there was anything to forget, so that another search makes sense.
    private func forgetPlace() -> Bool { place.exchange(nil) != nil }
}

extension KeychainStatus {
    /// Whether the call has found the item. Throws if neither that nor the contrary is known.
    func isFound(_ query: KeychainQuery) throws -> Bool {
        guard self == .success || self == .itemNotFound else { throw error(query) }
        return self == .success
    }

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
