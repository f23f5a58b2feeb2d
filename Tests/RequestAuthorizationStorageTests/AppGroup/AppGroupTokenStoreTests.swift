// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Crypto
import Dispatch
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// An app and its extension, as two stores on one container.
@Suite struct AppGroupTokenStoreTests {
    typealias Store = AppGroupTokenStore<TestToken>

    private let folder: TemporaryFolder
    private let groups: FakeAppGroups
    private let keychain = FakeKeychain()
    private let activities = FakeActivities()

    init() throws {
        folder = try TemporaryFolder()
        groups = FakeAppGroups(["group.app": folder.path + "/"])
    }

    private var place: String { folder.path + "/Library/Application Support/swift-request-authorization" }

    private func store(_ group: String = "group.app", activity: ExclusiveActivity? = nil) -> Store {
        Store(
            group, client: "client", account: "me", keyGroup: nil, groups: groups,
            activity: activity ?? .expiring(activities), keychain: keychain)
    }

    @Test func `the store passes the checks of a shared token store`() async throws {
        try await SharedTokenStoreChecks {
            let folder = try TemporaryFolder()
            let groups = FakeAppGroups(["group.app": folder.path])
            let (keychain, activities) = (FakeKeychain(), FakeActivities())
            let make = {
                Store(
                    "group.app", client: "client", account: "me", keyGroup: nil, groups: groups,
                    activity: .expiring(KeepingActivities(activities, folder)), keychain: keychain)
            }
            return (make(), make())
        }.run()
    }

    @Test func `nothing readable is in the container, and the key stays on the device`() async throws {
        let marker = "S3CRETmarker"
        try await store().save(
            StoredToken(.token(TestToken(marker)), version: .test(1), obtainedAt: Date(timeIntervalSince1970: 0)))
        let files = try FileManager.default.contentsOfDirectory(atPath: place)
        #expect(files.contains { $0.hasSuffix(".token") })
        for file in files {
            #expect(FileManager.default.contents(atPath: "\(place)/\(file)")?.range(of: Data(marker.utf8)) == nil)
        }
        let key = try #require(keychain.items.first?.key)
        #expect(key.accessGroup == "group.app" && key.accessibility == .afterFirstUnlockThisDeviceOnly)
        #expect(keychain.items.count == 1 && groups.excluded == [place])
        #expect(try await store().load()?.token?.name == marker)
    }

    @Test func `a program that is not in the group gets an error that says so`() async throws {
        let other = store("group.other")
        let error = await #expect(throws: TokenStoreError.self) { try await other.load() }
        #expect(error?.kind == .unsuitable && error?.detail.contains("group.other") == true)
        #expect(other.changes == nil)
    }

    @Test func `on a Mac a path is no proof: the entitlement counts`() async throws {
        for (entitled, isUsable) in [([], false), (["group.other"], false), (["group.other", "group.app"], true)] {
            let groups = FakeAppGroups(["group.app": folder.path], entitledGroups: entitled)
            let store = Store(
                "group.app", client: "client", account: "me", keyGroup: nil, groups: groups, activity: .none,
                keychain: keychain)
            if isUsable {
                try await store.save(.make(1))
                #expect(try await store.load() == .make(1))
                continue
            }
            for operation in 0..<3 {
                let error = await #expect(throws: TokenStoreError.self) {
                    switch operation {
                    case 0: _ = try await store.load()
                    case 1: try await store.save(.make(1))
                    default: try await store.clear()
                    }
                }
                #expect(error?.kind == .unsuitable && error?.detail.contains("entitlements") == true)
            }
            #expect(!FileManager.default.fileExists(atPath: place) && store.changes == nil)
        }
    }

    @Test func `a system that keeps no files has no app group, and the error names the Keychain`() async throws {
        let groups = FakeAppGroups(["group.app": folder.path], keepsFiles: false)
        let store = Store(
            "group.app", client: "client", account: "me", keyGroup: nil, groups: groups, activity: .none,
            keychain: keychain)
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(1)) }
        #expect(error?.kind == .unsuitable && error?.detail.contains("KeychainTokenStore") == true)
        #expect(!FileManager.default.fileExists(atPath: place) && keychain.items.isEmpty)
    }

    @Test func `a locked Keychain is unavailable, and a lost key is an error`() async throws {
        try await store().save(.make(1))
        keychain.isLocked = true
        let locked = await #expect(throws: TokenStoreError.self) { try await store().load() }
        #expect(locked?.kind == .unavailable)
        keychain.isLocked = false
        #expect(keychain.delete(.key("client", "me", "group.app", isSynchronizable: false)) == .success)
        let lost = await #expect(throws: TokenStoreError.self) { try await store().load() }
        #expect(lost?.kind == .wrongKey)
    }

    // MARK: - Suspension

    @Test func `exclusive access keeps the process from being suspended, until it is released`() async throws {
        let lock = try await store().lock(within: .seconds(300))
        #expect(activities.running == 1)
        var ends = activities.ends.makeAsyncIterator()
        await lock.unlock()
        await ends.next()
        #expect(activities.running == 0)
    }

    @Test func `leftovers of a process that was killed are removed by a save, within its activity, and by no load`()
        async throws
    {
        try await store().save(.make(1))
        let leftOver = place + "/client,other.new"
        try Data("left over".utf8).write(to: URL(filePath: leftOver))
        #expect(try await store().load() == .make(1))
        #expect(FileManager.default.fileExists(atPath: leftOver))
        let (isLeft, inner) = (Lock<[Bool]>([]), ExclusiveActivity.expiring(activities))
        let activity = ExclusiveActivity { expire in
            let end = try await inner.begin(expire)
            return {
                isLeft.withLock { $0.append(FileManager.default.fileExists(atPath: leftOver)) }
                end()
            }
        }
        try await store(activity: activity).save(.make(2))
        #expect(isLeft.withLock { $0.last } == false)
    }

    @Test func `before the process is suspended the access is released, and other processes get it`() async throws {
        // In a separate process: a program that another test starts has a copy of every file, and its lock, for a
        // moment.
        await #expect(processExitsWith: .success) { try await AppGroupTokenStoreTests().givesUpAtOnce() }
    }

    private func givesUpAtOnce() async throws {
        let app = try await store().lock(within: .seconds(300))
        activities.expire()
        let widget = try FileHandle(forUpdating: URL(filePath: place + "/client,me.lock"))
        #expect(flock(widget.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        await app.unlock()
        let error = await #expect(throws: TokenStoreError.self) {
            try await store(activity: ExclusiveActivity.none).lock(within: .milliseconds(50))
        }
        #expect(error?.kind == .timedOut)
        try widget.close()
    }

    @Test(.timeLimit(.minutes(5)))
    func `before the process is suspended a change of the locked file ends`() async throws {
        let items = AppGroupItems(
            group: "group.app", client: "client", account: "me", groups: groups, activity: .expiring(activities),
            patience: 600)
        let (isSuspended, ended) = (DispatchSemaphore(value: 0), OneShot<Void>())
        let result = try await items.save(Data("a".utf8), ending: nil) { [activities] _, _ in
            Thread.detachNewThread {
                activities.expire()
                isSuspended.signal()
                ended.fulfill()
            }
            // The file is locked here.
            return isSuspended.wait(timeout: .now() + 0.1) == .timedOut
        }
        #expect(result == .saved)
        // The process is not kept from its suspension afterwards.
        try await ended.value()
    }

    @Test func `a change that waits for another process ends with the time`() async throws {
        let (began, inner) = (OneShot<Void>(), ExclusiveActivity.expiring(activities))
        let other = AppGroupItems(
            group: "group.app", client: "client", account: "me", groups: groups, activity: .none)
        try await other.save(Data("a".utf8))
        let items = AppGroupItems(
            group: "group.app", client: "client", account: "me", groups: groups,
            activity: ExclusiveActivity { expire in
                let end = try await inner.begin(expire)
                began.fulfill()
                return end
            }, patience: 0)
        let widget = try FileHandle(forUpdating: URL(filePath: place + "/client,me.guard"))
        #expect(flock(widget.fileDescriptor, LOCK_EX) == 0)
        let saving = Task { try await items.save(Data("b".utf8)) }
        try await began.value()
        activities.expire()
        let error = await #expect(throws: TokenStoreError.self) { try await saving.value }
        #expect(error?.kind == .timedOut && error?.detail.contains("the system ended the time") == true)
        try widget.close()
        #expect(try await other.load() == Data("a".utf8))
    }

    @Test func `a change that has not begun when the time ends is not made`() async throws {
        let items = AppGroupItems(
            group: "group.app", client: "client", account: "me", groups: groups,
            activity: ExclusiveActivity { expire in
                expire()
                return {}
            }, patience: 0)
        let error = await #expect(throws: TokenStoreError.self) { try await items.save(Data("a".utf8)) }
        #expect(error?.kind == .timedOut && error?.detail.contains("the system ended the time") == true)
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test func `access that comes after the time has ended is released again`() async throws {
        let widget = try await store(activity: ExclusiveActivity.none).lock(within: .seconds(300))
        let began = OneShot<Void>()
        let (activities, inner) = (activities, ExclusiveActivity.expiring(activities))
        let app = Task {
            try await store(
                activity: ExclusiveActivity { expire in
                    let end = try await inner.begin(expire)
                    began.fulfill()
                    return end
                }
            ).lock(within: .seconds(300))
        }
        try await began.value()
        activities.expire()
        await widget.unlock()
        let error = await #expect(throws: TokenStoreError.self) { try await app.value }
        #expect(error?.kind == .timedOut)
        try await store(activity: ExclusiveActivity.none).lock(within: .seconds(300)).unlock()
    }

    @Test func `without time nothing is locked or written, and the session goes on`() async throws {
        let clock = ManualClock()
        try await store().save(.make(1, expiresAt: clock.now))
        activities.refuse()
        for operation in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self) {
                switch operation {
                case 0: _ = try await store().lock(within: .seconds(300))
                case 1: try await store().save(.make(2))
                default: try await store().clear()
                }
            }
            #expect(error?.kind == .unavailable && error?.detail.contains("suspended") == true)
        }
        let service = ScriptedTokenService<TestToken>(clock: clock)
        let auth = RefreshableTokenAuthorization(
            service: service, store: store(), policy: .init(backOff: .init(patience: .zero)), clock: clock)
        await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        #expect(service.calls == 0)
        #expect(try await store().load() == .make(1, expiresAt: clock.now))
    }
}

/// Activities of stores that outlive the test's own value of their folder.
private struct KeepingActivities: ExpiringActivities {
    let activities: FakeActivities
    let folder: TemporaryFolder

    init(_ activities: FakeActivities, _ folder: TemporaryFolder) {
        (self.activities, self.folder) = (activities, folder)
    }

    func perform(reason: String, _ block: @escaping @Sendable (Bool) -> Void) {
        activities.perform(reason: reason, block)
    }
}
#endif
