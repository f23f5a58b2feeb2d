// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

@Suite struct CloudKitTokenStoreTests {
    typealias Store = CloudKitTokenStore<TestToken>

    private let cloud = FakeCloud()
    /// iCloud Keychain: the same object plays the same keychain on all devices.
    private let keychain = FakeKeychain()

    /// The refresh token of a `TestToken` is its name up to the first dash.
    private static let shared = CloudKitSharing<TestToken>.oneForAllDevices { token in
        token.name.split(separator: "-").first.map(String.init)
    }

    private func device(
        _ sharing: CloudKitSharing<TestToken> = shared, keychain: FakeKeychain? = nil, account: String = "me"
    ) -> Store {
        Store(
            client: "client", account: account, accessGroup: nil, sharing: sharing, cloud: cloud,
            keychain: keychain ?? self.keychain)
    }

    private func token(
        _ name: String, _ generation: Int = 1, of session: UUID = TokenVersion.test(0).session
    ) -> StoredToken<TestToken> {
        StoredToken(
            .token(TestToken(name)), version: TokenVersion(session: session, generation: generation),
            obtainedAt: Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test func `the store passes the checks of a token store, also on another device`() async throws {
        let (cloud, keychain) = (cloud, keychain)
        let make: @Sendable () -> Store = {
            Store(
                client: "client", account: "me", accessGroup: nil, sharing: .oneForAllDevices { _ in "same" },
                cloud: cloud,
                keychain: keychain)
        }
        try await TokenStoreChecks(reopened: { _ in make() }) { make() }.run()
    }

    @Test func `nothing readable is in the cloud, and the key is in iCloud Keychain`() async throws {
        try await device().save(token("S3CRET-1"))
        let record = try #require(cloud.records().first?.value)
        #expect(record.value.range(of: Data("S3CRET".utf8)) == nil)
        #expect(record.name.hasPrefix("token-") && record.name.count == 70)
        let key = try #require(keychain.items.keys.first)
        #expect(key.isSynchronizable && key.accessibility == .afterFirstUnlock && keychain.items.count == 1)
        #expect(try await device().load()?.token?.name == "S3CRET-1")
        #expect(try await device(account: "you").load() == nil)
    }

    // MARK: - Rotating refresh tokens

    @Test func `all devices may share a refresh token that does not rotate`() async throws {
        let (phone, tablet) = (device(), device())
        try await phone.save(token("refresh-1"))
        #expect(try await tablet.load()?.token?.name == "refresh-1")
        try await tablet.save(token("refresh-2", 2))
        #expect(try await phone.load()?.token?.name == "refresh-2")
    }

    @Test func `a rotating refresh token is refused, and the error names the choices`() async throws {
        let phone = device()
        try await phone.save(token("refresh-1"))
        let error = await #expect(throws: TokenStoreError.self) { try await phone.save(token("rotated-2", 2)) }
        #expect(error?.kind == .unsuitable && error?.detail.contains("eachDeviceSignsIn") == true)
        #expect(try await phone.load()?.token?.name == "refresh-1")
        let other = StoredToken(
            .token(TestToken("rotated-1")), version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
        try await phone.save(other)
        #expect(try await phone.load()?.token?.name == "rotated-1")
    }

    @Test func `devices with a sign-in each have records of their own, and may rotate`() async throws {
        let (ours, theirs) = (FakeKeychain(), FakeKeychain())
        let phone = device(.eachDeviceSignsIn, keychain: ours)
        let tablet = device(.eachDeviceSignsIn, keychain: theirs)
        try await phone.save(token("phone-1"))
        #expect(try await tablet.load() == nil)
        try await tablet.save(token("tablet-1"))
        try await phone.save(token("rotated-2", 2))
        #expect(try await device(.eachDeviceSignsIn, keychain: ours).load()?.token?.name == "rotated-2")
        #expect(try await tablet.load()?.token?.name == "tablet-1")
        #expect(cloud.records().count == 2)
        #expect(
            ours.items.keys.allSatisfy { !$0.isSynchronizable && $0.accessibility == .afterFirstUnlockThisDeviceOnly })
    }

    // MARK: - Sign-outs

    @Test func `a refresh on another device does not undo a sign-out`() async throws {
        let (phone, tablet) = (device(), device())
        try await phone.save(token("refresh-1"))
        #expect(try await tablet.load()?.token?.name == "refresh-1")
        try await phone.clear()
        for store in [tablet, device(), phone] {
            let error = await #expect(throws: TokenStoreError.self) { try await store.save(token("refresh-2", 2)) }
            #expect(error?.kind == .failed && error?.detail.contains("signed out") == true)
            #expect(try await device().load() == nil)
        }
        try await tablet.clear()
        let session = UUID()
        try await tablet.save(token("again-1", of: session))
        try await tablet.save(token("again-2", 2, of: session))
        #expect(try await phone.load()?.token?.name == "again-2")
    }

    @Test func `a sign-out and a refresh at the same time end with the sign-out`() async throws {
        for isSignOutFirst in [true, false] {
            let (phone, tablet) = (device(), device())
            let session = UUID()
            try await phone.save(token("refresh-1", of: session))
            _ = try await tablet.load()
            let late = token("refresh-2", 2, of: session)
            if isSignOutFirst {
                // The tablet has read the token, and the sign-out comes before its save.
                cloud.beforeSave { try? await phone.clear() }
                let error = await #expect(throws: TokenStoreError.self) { try await tablet.save(late) }
                #expect(error?.kind == .failed)
            } else {
                cloud.beforeSave { try? await tablet.save(late) }
                try await phone.clear()
            }
            #expect(try await device().load() == nil)
            await #expect(throws: TokenStoreError.self) { try await tablet.save(late) }
        }
    }

    @Test(arguments: [false, true])
    func `a late refresh does not replace the new sign-in of another device`(isAtTheSameTime: Bool) async throws {
        let (phone, tablet, session) = (device(), device(), UUID())
        try await phone.save(token("refresh-1"))
        #expect(try await tablet.load() == token("refresh-1"))
        let again = token("again-1", of: session)
        let signIn: @Sendable () async -> Void = {
            try? await tablet.clear()
            try? await tablet.save(again)
        }
        if isAtTheSameTime { cloud.beforeSave(signIn) } else { await signIn() }
        let error = await #expect(throws: TokenStoreError.self) { try await phone.save(token("refresh-2", 2)) }
        #expect(error?.kind == .failed)
        #expect(try await device().load() == again)
        // The phone goes on with what it loads, or with a sign-in of its own.
        #expect(try await phone.load() == again)
        let repeated = await #expect(throws: TokenStoreError.self) { try await phone.save(token("refresh-3", 3)) }
        #expect(repeated?.kind == .failed)
        #expect(try await device().load() == again)
        try await phone.save(token("again-2", 2, of: session))
        try await phone.save(token("mine-1", of: UUID()))
        #expect(try await device().load()?.token?.name == "mine-1")
    }

    @Test func `a late refresh does not replace a new session that has ended either`() async throws {
        let (phone, tablet) = (device(), device())
        try await phone.save(token("refresh-1"))
        try await tablet.save(token("again-1", of: UUID()))
        try await tablet.clear()
        let error = await #expect(throws: TokenStoreError.self) { try await phone.save(token("refresh-2", 2)) }
        #expect(error?.kind == .failed)
        #expect(try await device().load() == nil)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `a provider discards a late refresh, and goes on with what it loads`(isSignOut: Bool) async throws {
        let clock = ManualClock()
        try await device().save(token("refresh-1"))
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(clock: clock, .success(TestToken("refresh-2"))), store: device(),
            clock: clock)
        #expect(try await auth.validToken().name == "refresh-1")
        if isSignOut { try await device().clear() } else { try await device().save(token("again-1", of: UUID())) }
        _ = try? await auth.refreshNow()
        try #require(auth.currentToken?.name == (isSignOut ? nil : "again-1"))
        try await auth.settle(within: .seconds(1))
        #expect(try await device().load()?.token?.name == (isSignOut ? nil : "again-1"))
    }

    @Test func `a sign-out does not end the new session of another device`() async throws {
        let (phone, tablet, session) = (device(), device(), UUID())
        try await phone.save(token("refresh-1"))
        try await tablet.save(token("again-1", of: session))
        try await phone.clear()
        #expect(try await device().load() == token("again-1", of: session))
        try await tablet.save(token("again-2", 2, of: session))
        // A device that knows the session ends it.
        #expect(try await phone.load() == token("again-2", 2, of: session))
        try await phone.clear()
        #expect(try await device().load() == nil)
    }

    @Test(arguments: [false, true])
    func `a sign-out that is repeated leaves the session that another device has begun since`(isLoaded: Bool)
        async throws
    {
        let (phone, tablet, again) = (device(), device(), token("again-1", of: UUID()))
        try await tablet.save(token("refresh-1"))
        if isLoaded { #expect(try await phone.load() == token("refresh-1")) }
        cloud.fail(isLoaded ? .record : .save, CloudFailure(code: .networkUnavailable))
        await #expect(throws: TokenStoreError.self) { try await phone.clear() }
        try await tablet.save(again)
        if isLoaded { #expect(try await phone.load() == again) }
        try await phone.clear()
        #expect(try await device().load() == again)
        // That sign-out is over. The next one ends what is there.
        try await phone.clear()
        #expect(try await device().load() == nil)
    }

    @Test func `a sign-out ends also a session whose save got no answer`() async throws {
        let (phone, again) = (device(), token("again-1", of: UUID()))
        try await phone.save(token("refresh-1"))
        cloud.beforeSave { [cloud, other = device()] in
            // As if it were the phone's own save.
            try? await other.save(again)
            cloud.fail(.save, CloudFailure(code: .networkFailure))
        }
        await #expect(throws: TokenStoreError.self) { try await phone.save(again) }
        #expect(try await device().load() == again)
        try await phone.clear()
        #expect(try await device().load() == nil)
    }

    @Test func `a sign-out that was saved is not undone either`() async throws {
        try await device().save(StoredToken(.signedOut, version: .test(3), obtainedAt: .now))
        let error = await #expect(throws: TokenStoreError.self) { try await device().save(token("refresh-4", 4)) }
        #expect(error?.kind == .failed)
        #expect(try await device().load()?.content == .signedOut)
        try await device().save(token("again-1", of: UUID()))
    }

    @Test func `a sign-out needs no key, and no space`() async throws {
        try await device().save(token("refresh-1"))
        try await device(keychain: FakeKeychain()).clear()
        #expect(cloud.records().count == 1)
        #expect(try await device().load() == nil)
        try await device().save(token("refresh-1", of: UUID()))
        cloud.fail(.save, CloudFailure(code: .quotaExceeded))
        try await device().clear()
        #expect(cloud.records().isEmpty)
    }

    @Test func `a full iCloud that names a time holds back neither a load nor a sign-out`() async throws {
        let store = device()
        try await store.save(token("refresh-1"))
        cloud.fail(.save, CloudFailure(code: .quotaExceeded, retryAfter: 315))
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(token("refresh-2", 2)) }
        #expect(error?.kind == .noSpace)
        #expect(try await store.load() == token("refresh-1"))
        try await store.clear()
        #expect(try await device().load() == nil)
    }

    @Test func `a sign-out without space stays one also when there is space again`() async throws {
        for isAtTheSameTime in [false, true] {
            let (phone, tablet, session) = (device(), device(), UUID())
            try await phone.save(token("refresh-1", of: session))
            #expect(try await tablet.load() == token("refresh-1", of: session))
            let signOut: @Sendable () async -> Void = { [cloud] in
                cloud.fail(.save, CloudFailure(code: .quotaExceeded))
                try? await phone.clear()
            }
            if isAtTheSameTime { cloud.beforeSave(signOut) } else { await signOut() }
            let late = token("refresh-2", 2, of: session)
            let error = await #expect(throws: TokenStoreError.self) { try await tablet.save(late) }
            #expect(error?.kind == .failed)
            #expect(cloud.records().isEmpty)
        }
        try await device().save(token("again-1", of: UUID()))
        #expect(try await device().load()?.token?.name == "again-1")
    }

    @Test func `a read that a save of the same device overtakes refuses no later save`() async throws {
        let session = UUID()
        let item = CloudKitTokenItem(cloud: cloud, session: { _ in session }) { "record" }
        cloud.afterRead {
            try? await item.save(Data([1]))
            item.own.withLock { $0.didKeep(session, in: "ada") }
        }
        #expect(try await item.load() == nil)
        try await item.save(Data([2]))
        #expect(try await item.load() == Data([2]))
    }

    @Test func `a device that signs in by itself leaves no record`() async throws {
        let store = device(.eachDeviceSignsIn)
        try await store.save(token("phone-1"))
        try await store.clear()
        #expect(cloud.records().isEmpty)
        try await store.save(token("phone-2", 2))
        #expect(try await store.load()?.token?.name == "phone-2")
    }

    // MARK: - Keys and accounts

    @Test func `a key that has not arrived yet causes neither a sign-out nor a new key`() async throws {
        try await device().save(token("refresh-1"))
        let (early, record) = (FakeKeychain(), cloud.records())
        let tablet = device(keychain: early)
        let loading = await #expect(throws: TokenStoreError.self) { try await tablet.load() }
        #expect(loading?.kind == .wrongKey)
        let saving = await #expect(throws: TokenStoreError.self) { try await tablet.save(token("refresh-2", 2)) }
        #expect(saving?.kind == .wrongKey)
        #expect(cloud.records() == record && early.items.isEmpty)
        try await tablet.clear()
        try await tablet.save(token("mine-1", of: UUID()))
        #expect(try await tablet.load()?.token?.name == "mine-1")
    }

    @Test func `a locked Keychain is unavailable`() async throws {
        try await device().save(token("refresh-1"))
        keychain.isLocked = true
        let error = await #expect(throws: TokenStoreError.self) { try await device().load() }
        #expect(error?.kind == .unavailable)
    }

    @Test func `the next person's token is not removed`() async throws {
        let store = device()
        try await store.save(token("ada-1"))
        cloud.signIn(as: "grace")
        try await device().save(token("grace-1"))
        let error = await #expect(throws: TokenStoreError.self) { try await store.clear() }
        #expect(error?.kind == .unsuitable)
        #expect(cloud.records(of: "grace").count == 1)
    }

    @Test func `a token is not saved to the next person's account`() async throws {
        let store = device()
        try await store.save(token("ada-1"))
        var changes = try #require(store.changes).makeAsyncIterator()
        cloud.signIn(as: "grace")
        await changes.next()
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(token("ada-2", 2)) }
        #expect(error?.kind == .unsuitable)
        #expect(cloud.records(of: "grace").isEmpty)
        #expect(try await store.load() == nil)
        try await store.save(token("grace-1", of: UUID()))
        #expect(cloud.records(of: "grace").count == 1)
        cloud.signIn(as: "ada")
        #expect(try await store.load()?.token?.name == "ada-1")
    }

    @Test(arguments: [false, true])
    func `a save that is repeated after a load is not made in the next person's account`(isSignIn: Bool) async throws {
        let store = device()
        try await store.save(token("ada-1"))
        let pending = isSignIn ? token("ada-1", of: UUID()) : token("ada-2", 2)
        cloud.fail(.accountStatus, CloudFailure(code: .notAuthenticated))
        await #expect(throws: TokenStoreError.self) { try await store.save(pending) }
        cloud.signIn(as: "grace")
        #expect(try await store.load() == nil)
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(pending) }
        #expect(error?.kind == .unsuitable)
        #expect(cloud.records(of: "grace").isEmpty)
        cloud.signIn(as: "ada")
        _ = try await store.load()
        try await store.save(pending)
        #expect(try await device().load() == pending)
    }

    @Test(arguments: [false, true])
    func `a removal that is repeated after a load leaves the next person's token`(isFirstCall: Bool) async throws {
        try await device().save(token("ada-1"))
        let store = device()
        if !isFirstCall { _ = try await store.load() }
        cloud.fail(isFirstCall ? .record : .accountStatus, CloudFailure(code: .networkUnavailable))
        await #expect(throws: TokenStoreError.self) { try await store.clear() }
        cloud.signIn(as: "grace")
        let theirs = token("grace-1", of: UUID())
        try await device().save(theirs)
        #expect(try await store.load() == theirs)
        let error = await #expect(throws: TokenStoreError.self) { try await store.clear() }
        #expect(error?.kind == .unsuitable)
        #expect(try await device().load() == theirs)
        // A sign-in of the next person ends the removal.
        let again = token("again-1", of: UUID())
        try await store.save(again)
        try await store.clear()
        #expect(try await device().load() == nil)
    }

    @Test func `a token is not saved to an account that the next person signs in to meanwhile`() async throws {
        let store = device()
        try await store.save(token("ada-1"))
        cloud.beforeSave { [cloud] in cloud.signIn(as: "grace") }
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(token("ada-2", 2)) }
        #expect(error?.kind == .unsuitable)
        #expect(cloud.records(of: "grace").isEmpty)
        cloud.signIn(as: "ada")
        #expect(try await store.load() == token("ada-1"))
    }

    @Test func `offline signs no user out`() async throws {
        try await device().save(token("refresh-1"))
        cloud.fail(all: .record, CloudFailure(code: .networkUnavailable))
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(), store: device(),
            policy: .init(backOff: .init(patience: .zero)), clock: clock)
        let error = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect((error?.underlying as? TokenStoreError)?.kind == .unavailable)
        cloud.fail(all: .record, nil)
        clock.advance(by: .seconds(2))
        #expect(try await auth.validToken().name == "refresh-1")
    }
}
#endif
