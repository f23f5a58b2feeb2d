// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Whether the devices of a user share one token in iCloud.
///
/// iCloud has no locks: two devices would use a shared rotating refresh token twice, and servers then end the session.
public enum CloudKitSharing<Token: AuthorizationToken>: Sendable {
    /// All devices of the user share one token, whose refresh token must stay the same.
    ///
    /// The closure returns the refresh token. A token that changes it is refused (`unsuitable`).
    case oneForAllDevices(refreshToken: @Sendable (Token) -> String?)
    /// Each device signs in separately and has its own record, so its refresh tokens may rotate.
    case eachDeviceSignsIn
}

extension CloudKitSharing: OwnDescription {
    @usableFromInline package var ownDescription: String {
        switch self {
        case .oneForAllDevices: "oneForAllDevices"
        case .eachDeviceSignsIn: "eachDeviceSignsIn"
        }
    }
}

/// Stores a token encrypted in the user's private iCloud database.
///
///     let store = CloudKitTokenStore<MyToken>(
///         container: "iCloud.com.example.app", client: "CLIENT_ID", account: "me",
///         sharing: .oneForAllDevices { $0.refreshToken })
///
/// The record has an envelope of ``EncryptedTokenStore``. Its key is a Keychain item. iCloud Keychain syncs the key if
/// the devices share the token. If each device signs in separately, the key stays on it.
///
/// - Without the entitlement for the container, the error on a Mac is `unsuitable`. Other systems do not tell an app
///   its entitlements, and CloudKit ends an app that lacks them at its first call.
/// - Without an account or a connection, the error is `unavailable`, and without the synced key `wrongKey`. Neither signs
///   out.
/// - After a change of the iCloud account, the earlier account's token is not saved in the new one. ``changes`` reports
///   the change, and the provider loads again.
/// - A sign-out or a new sign-in on another device is seen at the next launch, not at once. A token of the former
///   session is not saved again.
///
/// Not run on Apple hardware: its decisions are tested against simulated CloudKit error codes.
public final class CloudKitTokenStore<Token: AuthorizationToken & Codable>: TokenStore, RedactedDescription {
    private let item: CloudKitTokenItem
    private let sealed: EncryptedTokenStore<Token, CloudKitTokenItem>
    private let sharing: CloudKitSharing<Token>

    init(
        client: String, account: String, accessGroup: String?, sharing: CloudKitSharing<Token>, cloud: any CloudCalls,
        keychain: any KeychainCalls
    ) {
        self.sharing = sharing
        // The random name of a device that signs in separately. In the Keychain it survives deleting the app.
        var device: KeychainTokenItem?
        if case .eachDeviceSignsIn = sharing {
            device = KeychainTokenItem(
                query: KeychainQuery(
                    service: KeychainPurpose.device.service(of: client), account: account, accessGroup: accessGroup,
                    accessibility: .afterFirstUnlockThisDeviceOnly),
                keychain: keychain)
        }
        let session = { @Sendable (envelope: Data) in (try? Envelope(envelope))?.header.version.session }
        item = CloudKitTokenItem(cloud: cloud, session: device == nil ? session : nil) { [device] in
            let id = try await device?.load(orAdding: Data(UUID().uuidString.utf8))
            return recordName(client: client, account: account, device: id)
        }
        let key = TokenKey(.key(client, account, accessGroup, isSynchronizable: device == nil), in: keychain)
        sealed = EncryptedTokenStore(around: item, key: key, client: client, account: account)
    }

    public func load() async throws -> StoredToken<Token>? {
        let account = try await item.account()
        let stored = try await sealed.load()
        item.own.withLock { $0.didKeep(stored?.version.session, in: account) }
        return stored
    }

    /// Saves the token, unless it belongs to another iCloud account.
    ///
    /// - Throws: `TokenStoreError`: `unsuitable` for a rotating refresh token, and for another iCloud account;
    ///   `failed` if another device has signed out of the token's session, or in to another one since.
    public func save(_ stored: StoredToken<Token>) async throws {
        item.own.withLock { $0.beginSave(of: stored.version.session) }
        let account = try await item.checkedAccount(for: stored.version.session)
        try await checkKept(stored)
        try await sealed.save(stored)
        item.own.withLock { $0.didKeep(stored.version.session, in: account) }
    }

    /// Removes the token, also one that cannot be decrypted.
    ///
    /// If the devices share the token, the record keeps the name of the session that has ended, which is not secret. A
    /// session that another device has begun since stays.
    ///
    /// - Throws: `TokenStoreError`: `unsuitable` if another iCloud account is signed in.
    public func clear() async throws { try await sealed.clear() }

    public var changes: AsyncStream<Void>? { sealed.changes }

    public var isSharedBetweenDevices: Bool { if case .oneForAllDevices = sharing { true } else { false } }

    // MARK: -

    /// Refuses a token of a session that has ended, or whose refresh tokens rotate.
    private func checkKept(_ stored: StoredToken<Token>) async throws {
        guard case .oneForAllDevices(let refreshToken) = sharing, let new = stored.token,
            let kept = try await sealed.load(), kept.version.session == stored.version.session
        else { return }
        if case .signedOut = kept.content { throw TokenStoreError.signedOutOnAnotherDevice }
        guard let old = kept.token, refreshToken(old) != refreshToken(new) else { return }
        throw TokenStoreError(
            .unsuitable,
            """
            the server rotates refresh tokens, and devices cannot share one through iCloud, which has no locks; use \
            CloudKitTokenStore(…, sharing: .eachDeviceSignsIn), or KeychainTokenStore
            """)
    }
}

extension CloudKitTokenStore {
    #if canImport(CloudKit)
    /// Creates a store. iCloud and the Keychain are asked on first use.
    ///
    /// - Parameters:
    ///   - container: the identifier of the iCloud container, such as `iCloud.com.example.app`, as in the entitlements.
    ///   - client: the client id at the authorization server.
    ///   - account: the owner of the token, in your words; not a secret.
    ///   - sharing: whether the devices share a token.
    ///   - accessGroup: the keychain access group of the key; by default the program's first group.
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
    ) { fatalError("unavailable") }
    #endif
}

// MARK: -

/// A name for the record that CloudKit accepts (at most 255 ASCII characters) and that hides client and account.
private func recordName(client: String, account: String, device: Data?) -> String {
    var hash = SHA256()
    for part in [Data(client.utf8), Data(account.utf8), device ?? Data()] {
        hash.update(data: UInt64(part.count).bigEndianBytes + part)
    }
    return "token-" + hash.finalize().map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
}
#else
/// Whether the devices of a user share one token in iCloud, on Apple's platforms.
@available(*, unavailable, message: "CloudKit is on Apple's platforms only: use .default(client:account:)")
public enum CloudKitSharing<Token: AuthorizationToken> {}

/// Stores a token encrypted in the user's private iCloud database, on Apple's platforms.
@available(*, unavailable, message: "CloudKit is on Apple's platforms only: use .default(client:account:)")
public enum CloudKitTokenStore<Token: AuthorizationToken & Codable> {}
#endif
