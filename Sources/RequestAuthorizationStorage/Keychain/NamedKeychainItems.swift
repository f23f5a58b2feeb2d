// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Items in Apple's Keychain, for one process at a time.
///
/// An item can be read after the first unlock since the device was started, and never leaves the device. Exclusive access
/// excludes this process only, because programs cannot lock the Keychain. Those of `.appGroup(_:client:)` are for several
/// processes.
///
/// Not run on Apple hardware: its decisions are tested against simulated Keychain status codes.
public struct NamedKeychainItems: NamedItems, RedactedDescription {
    private let client: String
    private let accessGroup: String?
    private let keychain: any KeychainCalls
    private let exclusion: Exclusion

    /// Acquires exclusive access to an item.
    typealias Exclusion =
        @Sendable (_ name: String, _ kind: String, _ limit: Duration) async throws -> TokenStoreLock

    /// The locks of this process.
    private static let shared = NamedLocks<KeychainQuery>()

    /// Items without an access group, whose exclusive access excludes this process only.
    init(
        client: String, keychain: any KeychainCalls, locks: NamedLocks<KeychainQuery>? = nil,
        clock: any AuthorizationClock = .system
    ) {
        let locks = locks ?? Self.shared
        self.init(client: client, accessGroup: nil, keychain: keychain) { name, kind, limit in
            let overdue = TokenStoreError(.timedOut, "another task has held a Keychain item for \(limit); try again")
            return try await locks.lock(Self.query(client, nil, name, kind)) { wait in
                try await endingAtOnce(within: limit, of: clock, else: overdue) { for await _ in wait {} }
            }
        }
    }

    init(client: String, accessGroup: String?, keychain: any KeychainCalls, exclusion: @escaping Exclusion) {
        (self.client, self.accessGroup, self.keychain) = (client, accessGroup, keychain)
        self.exclusion = exclusion
    }

    public func item(named name: String, kind: String) -> KeychainTokenItem {
        KeychainTokenItem(query: Self.query(client, accessGroup, name, kind), keychain: keychain)
    }

    public func lock(named name: String, kind: String, within limit: Duration) async throws -> TokenStoreLock {
        try await exclusion(name, kind, limit)
    }

    private static func query(
        _ client: String, _ accessGroup: String?, _ name: String, _ kind: String
    ) -> KeychainQuery {
        KeychainQuery(
            service: KeychainPurpose.token.service(of: "\(client) \(kind)"), account: name, accessGroup: accessGroup,
            accessibility: .default)
    }
}

extension NamedKeychainItems {
    #if canImport(Security)
    /// Names the client. Items are read on first use.
    ///
    /// - Parameter client: the client that tokens are issued to, such as an OAuth client id.
    public init(client: String) { self.init(client: client, keychain: SecurityKeychain()) }
    #else
    @available(*, unavailable, message: "the Keychain is on Apple's platforms only: use .default(client:)")
    public init(client: String) { fatalError("unavailable") }
    #endif
}
