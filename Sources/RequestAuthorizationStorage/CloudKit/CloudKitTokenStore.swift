// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
public import RequestAuthorization

/// Whose token a record in iCloud is, since iCloud cannot lock: two devices that share a refresh token which changes with
/// each use would spend it twice, and servers then end the session.
public enum CloudKitSharing<Token: AuthorizationToken>: Sendable {
    /// All devices of the person use one token. Its refresh token must stay the same; the closure says which it is, and a
    /// token that would change it is refused with a ``TokenStoreError`` (`unsuitable`).
    case oneForAllDevices(refreshToken: @Sendable (Token) -> String?)
    /// Each device signs in for itself and has a record of its own, so its refresh tokens may rotate.
    case eachDeviceSignsIn
}

extension CloudKitSharing: RedactedDescription {
    public var description: String {
        switch self {
        case .oneForAllDevices: "oneForAllDevices"
        case .eachDeviceSignsIn: "eachDeviceSignsIn"
        }
    }
}

/// Keeps a token encrypted in the person's private database in iCloud.
///
///     let store = CloudKitTokenStore<MyToken>(
///         container: "iCloud.com.example.app", client: "CLIENT_ID", account: "me",
///         sharing: .oneForAllDevices { $0.refreshToken })
///
/// The record holds an envelope of ``EncryptedTokenStore``. Its key is a Keychain item: one that iCloud Keychain takes to the
/// person's other devices where they share the token, one that stays on this device where each signs in for itself.
///
/// - A container that the program is not entitled to: `unsuitable` on a Mac. Elsewhere the system does not tell an app its
///   entitlements, and CloudKit ends one that lacks them, at its first call.
/// - No account, no connection, a key that iCloud Keychain has not brought yet: "unavailable", nobody is signed out.
/// - Another iCloud account: what this store was loaded with is not saved there; ``changes`` says so, and the provider loads.
/// - Another device's sign-out is seen at the next launch, not at once.
///
/// Not run on Apple hardware: what it decides is tested against a cloud made of error codes.
public final class CloudKitTokenStore<Token: AuthorizationToken & Codable>: TokenStore {
    private let item: CloudKitTokenItem
    private let sealed: EncryptedTokenStore<Token, CloudKitTokenItem>
    private let sharing: CloudKitSharing<Token>
    /// The iCloud account that the token in use belongs to.
    private let owner = Lock<String?>(nil)

    init(
        client: String, account: String, accessGroup: String?, sharing: CloudKitSharing<Token>, cloud: any CloudCalls,
        keychain: any KeychainCalls
    ) {
        self.sharing = sharing
        var device: CloudKitDevice?
        if case .eachDeviceSignsIn = sharing { device = CloudKitDevice(client, account, accessGroup, keychain) }
        item = CloudKitTokenItem(cloud: cloud) { [device] in
            try await CloudKitDevice.recordName(client: client, account: account, device: device?.id())
        }
        let key = KeychainKey(
            query: .key(client, account, accessGroup, isSynchronizable: device == nil), keychain: keychain)
        sealed = EncryptedTokenStore(around: item, key: .kept(by: key), client: client, account: account)
    }

    public func load() async throws -> StoredToken<Token>? {
        let account = try await item.account()
        let stored = try await sealed.load()
        owner.withLock { $0 = account }
        return stored
    }

    /// - Throws: ``TokenStoreError``: `unsuitable` for a refresh token that rotates, and for a token of another account.
    public func save(_ stored: StoredToken<Token>) async throws {
        let account = try await checkedAccount("the token is not saved there")
        try await checkRotation(stored)
        try await sealed.save(stored)
        owner.withLock { $0 = account }
    }

    /// Removes the record, also one that cannot be opened.
    ///
    /// - Throws: ``TokenStoreError``: `unsuitable` if the record would be another person's.
    public func clear() async throws {
        _ = try await checkedAccount("their token is not removed")
        try await sealed.clear()
    }

    public var changes: AsyncStream<Void>? { sealed.changes }

    public var isSharedBetweenDevices: Bool { if case .oneForAllDevices = sharing { true } else { false } }

    // MARK: -

    /// - Returns: the iCloud account, which is the one that the token in use belongs to.
    private func checkedAccount(_ consequence: String) async throws -> String {
        let account = try await item.account()
        guard owner.withLock({ $0 == nil || $0 == account }) else {
            throw TokenStoreError(
                .unsuitable, "another person is signed in to iCloud now: \(consequence); load again")
        }
        return account
    }

    private func checkRotation(_ stored: StoredToken<Token>) async throws {
        guard case .oneForAllDevices(let refreshToken) = sharing, let new = stored.token,
            let kept = try await sealed.load(), kept.version.session == stored.version.session, let old = kept.token,
            refreshToken(old) != refreshToken(new)
        else { return }
        throw TokenStoreError(
            .unsuitable,
            """
            this server gives out a new refresh token with each use, and iCloud cannot lock: use \
            CloudKitTokenStore(…, sharing: .eachDeviceSignsIn), or KeychainTokenStore
            """)
    }
}

extension CloudKitTokenStore: RedactedDescription {}

extension CloudKitTokenStore {
    #if canImport(CloudKit)
    /// - Parameters:
    ///   - container: the identifier of the iCloud container, such as `iCloud.com.example.app`, as in the entitlements.
    ///   - client: the client id at the authorization server.
    ///   - account: whose token it is, in your words; not a secret.
    ///   - sharing: whether the devices share a token.
    ///   - accessGroup: the keychain access group of the key; by default the program's first.
    public convenience init(
        container: String, client: String, account: String, sharing: CloudKitSharing<Token>,
        accessGroup: String? = nil
    ) {
        self.init(
            client: client, account: account, accessGroup: accessGroup, sharing: sharing,
            cloud: CloudKitDatabase(container: container), keychain: SecurityKeychain())
    }
    #else
    @available(*, unavailable, message: "CloudKit is on Apple's platforms only: use .default(client:account:)")
    public convenience init(
        container: String, client: String, account: String, sharing: CloudKitSharing<Token>,
        accessGroup: String? = nil
    ) {
        fatalError("unavailable")
    }
    #endif
}
#else
public import RequestAuthorization

/// Whose token a record in iCloud is: on Apple's platforms.
@available(*, unavailable, message: "CloudKit is on Apple's platforms only: use .default(client:account:)")
public enum CloudKitSharing<Token: AuthorizationToken> {}

/// Keeps a token encrypted in the person's private database in iCloud: on Apple's platforms.
@available(*, unavailable, message: "CloudKit is on Apple's platforms only: use .default(client:account:)")
public enum CloudKitTokenStore<Token: AuthorizationToken & Codable> {}
#endif
