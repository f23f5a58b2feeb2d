// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

// sample: default-store
/// A provider that finds its token again at the next launch.
func makeAuthorization(service: WidgetTokenService) -> RefreshableTokenAuthorization<WidgetToken> {
    RefreshableTokenAuthorization(service: service, store: .default(client: "CLIENT_ID", account: "me"))
}
// end sample

// sample: server-store
/// A provider for a daemon. Its token is in a folder that belongs to the daemon's user.
func makeDaemonAuthorization(service: WidgetTokenService) -> RefreshableTokenAuthorization<WidgetToken> {
    RefreshableTokenAuthorization(
        service: service,
        store: .restrictedFile(client: "billing", account: "ledger", folder: .at("/var/lib/billing/tokens")))
}
// end sample

// sample: read-only-store
/// A provider for a widget: it reads what the app keeps.
func makeWidgetAuthorization(service: WidgetTokenService) -> RefreshableTokenAuthorization<WidgetToken> {
    RefreshableTokenAuthorization(service: service, store: .default(client: "CLIENT_ID", account: "me").readOnly)
}

/// The text of the widget when there is no token.
func caption(for error: any Error) -> String {
    switch (error as? NotAuthorized)?.reason {
    case .refreshedElsewhere?: "Open the app to refresh"
    case .noToken?, .signedOut?: "Open the app to sign in"
    default: "Try again later"
    }
}
// end sample

// sample: store-error
/// What to tell a user whose token could not be saved.
func advice(for event: AuthorizationEvent) -> String? {
    guard let error = event.error as? TokenStoreError else { return nil }
    switch error.kind {
    case .noSpace: return "The disk is full: you may have to sign in again after a restart."
    case .notPrivate, .readOnly: return error.detail
    default: return nil
    }
}
// end sample

// sample: items
struct VaultItems: ByteStore {
    let vault: Vault
    let key: String

    func load() async throws -> Data? { try await vault.data(for: key) }
    func save(_ item: Data) async throws { try await vault.set(item, for: key) }
    func clear() async throws { try await vault.remove(key) }
}

struct CodableVaultTokenStore<Token: AuthorizationToken & Codable>: CodableTokenStore {
    let items: VaultItems
}
// end sample

@Suite struct StorageSamples {
    @Test func `a place for bytes is a store`() async throws {
        try await TokenStoreChecks {
            CodableVaultTokenStore<TestToken>(items: VaultItems(vault: Vault(), key: "ada"))
        }.run()
    }

    let folder = URL.temporaryDirectory.appending(path: "storage-samples-\(UUID().uuidString)").path

    @Test func `the accounts of a tool`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let folder = TokenFolder.at(folder)
        for account in ["me", "work"] {
            let auth = RefreshableTokenAuthorization(
                service: ScriptedTokenService<TestToken>(),
                store: .restrictedFile(client: "tool", account: account, folder: folder))
            try await auth.signIn { TestToken("a") }
        }
        // sample: accounts
        let accounts = RestrictedFileAccounts(client: "tool", folder: folder)
        for account in try await accounts.names() { print(account) }  // me, work
        try await accounts.remove("work")
        // end sample
        #expect(try await accounts.names() == ["me"])
    }

    @Test func `moving`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let old = InMemoryTokenStore(
            StoredToken(
                .token(TestToken("a")), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now))
        // sample: migrate
        let new = RestrictedFileTokenStore<TestToken>(client: "tool", account: "me", folder: .at(folder))
        let outcome = try await old.migrate(to: new)  // at each launch, before the provider is made
        if outcome == .otherIsThere { print("another user is signed in there") }
        // end sample
        #expect(outcome == .moved)
        #expect(try await new.load()?.token?.name == "a")
    }

    @Test func `captions and advice`() {
        #expect(caption(for: NotAuthorized(.refreshedElsewhere)) == "Open the app to refresh")
        #expect(caption(for: CancellationError()) == "Try again later")
    }
}
