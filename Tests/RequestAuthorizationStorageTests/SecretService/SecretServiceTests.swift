// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
import CSecretService
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// The desktops that `.ci/check-secret-service` prepares. Without one its tests are skipped, which that check does not
/// accept.
enum Desktop: String {
    /// An unlocked keyring.
    case ready
    /// A keyring that the test locks.
    case locking
    /// A session bus without a Secret Service.
    case empty
    /// No session bus.
    case none
    /// A Secret Service that never answers.
    case hung
    /// A Secret Service that asks the person before each change.
    case asking
    /// A session bus for keyrings that the test starts and ends.
    case restarting

    static let current = ProcessInfo.processInfo.environment["SECRET_SERVICE_DESKTOP"].flatMap(Desktop.init)

    static func `is`(_ desktops: Desktop...) -> Bool { current.map(desktops.contains) ?? false }
}

private let how: Comment = "needs a desktop: .ci/check-secret-service"

@Suite(.enabled(if: Desktop.is(.ready), how), .serialized)
struct SecretServiceReadyTests {
    private func store(_ account: String = "me") -> SecretServiceTokenStore<TestToken> {
        SecretServiceTokenStore(client: "client", account: account)
    }

    @Test func `the store passes the checks of a token store, also at the next launch`() async throws {
        try await TokenStoreChecks(reopened: { _ in SecretServiceTokenStore(client: "client", account: "checks") }) {
            SecretServiceTokenStore<TestToken>(client: "client", account: "checks")
        }.run()
    }

    @Test func `an item belongs to its client and account`() async throws {
        let other = SecretServiceTokenStore<TestToken>(client: "other", account: "me")
        try await store().save(.make(1))
        try await store("you").save(.make(2))
        try await other.save(.make(3))
        #expect(try await store().load() == .make(1))
        #expect(try await store("you").load() == .make(2))
        try await store().clear()
        #expect(try await store().load() == nil)
        #expect(try await other.load() == .make(3))
    }

    @Test func `bytes of any value are kept`() async throws {
        let items = store("bytes").items
        let bytes = Data((0...255).map { UInt8($0) } + [0, 0, 10])
        try await items.save(bytes)
        #expect(try await items.load() == bytes)
    }

    @Test func `attributes, label and the file of the keyring show no secret`() async throws {
        let marker = "S3CRETmarker"
        try await store("shown").save(
            StoredToken(.token(TestToken(marker)), version: .test(1), obtainedAt: Date(timeIntervalSince1970: 0)))
        let shown = try Keyring.faces(of: "shown")
        #expect(
            shown == [
                "account=shown", "client=client", "label=Token of shown for client",
                "xdg:schema=\(SecretServiceName.schema)",
            ])
        let place = try #require(ProcessInfo.processInfo.environment["XDG_DATA_HOME"])
        let files = try FileManager.default.subpathsOfDirectory(atPath: place).filter { $0.hasSuffix(".keyring") }
        #expect(!files.isEmpty)
        for file in files {
            let bytes = try Data(contentsOf: URL(filePath: place).appending(path: file))
            #expect(bytes.range(of: Data("GnomeKeyring".utf8)) != nil)
            #expect(bytes.range(of: Data(marker.utf8)) == nil)
        }
    }

    @Test func `the process outlives its session bus`() async throws {
        // sample: secret-service
        let store = SecretServiceTokenStore<TestToken>(client: "tool", account: "me")
        // end sample
        _ = try await store.load()
        let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil)
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        #expect(g_dbus_connection_get_exit_on_close(bus) == 0)
    }

    @Test func `a cancelled task does not wait`() async {
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store().load()
        }
        await #expect(throws: CancellationError.self) { try await load.value }
    }
}

@Suite(.enabled(if: Desktop.is(.locking), how), .serialized)
struct SecretServiceLockedTests {
    @Test func `a locked keyring is unavailable, not empty, and signs no user out`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "me")
        let empty = SecretServiceTokenStore<TestToken>(client: "client", account: "nobody")
        try await store.save(.make(1))
        try Keyring.lock()
        for operation in 0..<4 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                switch operation {
                case 0: _ = try await store.load()
                case 1: _ = try await empty.load()
                case 2: try await store.save(.make(2))
                default: try await store.clear()
                }
            }
            #expect(
                error?.kind == .unavailable && error?.detail.contains("locked") == true,
                "\(operation): \(error?.detail ?? "")")
        }
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService<TestToken>(), store: store)
        await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
    }
}

@Suite(.enabled(if: Desktop.is(.empty, .none), how))
struct SecretServiceMissingTests {
    @Test func `without a service or a bus every call fails as unavailable`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "me")
        for operation in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                switch operation {
                case 0: _ = try await store.load()
                case 1: try await store.save(.make(1))
                default: try await store.clear()
                }
            }
            #expect(error?.kind == .unavailable && error?.detail.contains("session bus") == true)
        }
    }
}

@Suite(.enabled(if: Desktop.is(.hung), how))
struct SecretServiceHungTests {
    @Test func `a service that never answers is given up at the limit`() async throws {
        let clock = ManualClock()
        let store = SecretServiceTokenStore<TestToken>(
            client: "client", account: "me", limit: .seconds(7), clock: clock)
        let load = Task { try await store.load() }
        await clock.sleeper(for: .seconds(7))
        clock.advance(by: .seconds(7))
        let error = await #expect(throws: TokenStoreError.self) { try await load.value }
        #expect(error?.kind == .timedOut)
    }

    @Test func `a service that never answers is given up when the task is cancelled`() async throws {
        let clock = ManualClock()
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "me", clock: clock)
        let save = Task { try await store.save(.make(1)) }
        await clock.sleepers(1)
        save.cancel()
        await #expect(throws: CancellationError.self) { try await save.value }
    }
}

@Suite(.enabled(if: Desktop.is(.asking), how), .serialized)
struct SecretServiceAskingTests {
    @Test func `a sign-out that the person refuses is tried again until the token is gone`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "sign-out")
        let clock = ManualClock()
        let auth = RefreshableTokenAuthorization<TestToken>(
            service: ScriptedTokenService<TestToken>(), token: nil, store: store, clock: clock, random: { 1 })
        try await store.save(.make(1))
        _ = try await auth.validToken()
        try await Person.refusing {
            try await auth.signOut()
            let pending = await #expect(throws: NotSettled.self) { try await auth.settle(within: .zero) }
            try requireRefusal(pending?.storeError)
        }
        #expect(try await store.load() == .make(1))
        await clock.sleeper(for: .seconds(1))
        clock.advance(by: .seconds(1))
        try await auth.settle(within: .seconds(30))
        #expect(try await store.load() == nil)
    }

    @Test func `a save that the person refuses is an error, and leaves the former token`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "save")
        for generation in 1...2 {
            try await Person.refusing {
                let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(generation)) }
                try requireRefusal(error)
            }
            let former: StoredToken<TestToken>? = generation == 1 ? nil : .make(1)
            #expect(try await store.load() == former)
            try await store.save(.make(generation))
            #expect(try await store.load() == .make(generation))
        }
    }

    @Test func `a save that the person allows once is no refusal, though the item is locked then`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "once")
        try await Person.with("past") { try await store.save(.make(1)) }
        try await Person.with("once") { try await store.save(.make(2)) }
        #expect(try await store.load() == .make(2))
    }

    @Test func `a refusal is an error also if the keyring has found nothing before its prompt`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "closed")
        try await Person.with("past") { try await store.save(.make(1)) }
        try await Person.with("closed", "refuse") {
            let error = await #expect(throws: TokenStoreError.self) { try await store.save(.make(2)) }
            try requireRefusal(error)
        }
        #expect(try await store.load() == .make(1))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a prompt that is neither answered nor closed is given up at the limit`() async throws {
        let clock = ManualClock()
        let store = SecretServiceTokenStore<TestToken>(
            client: "client", account: "silent", limit: .seconds(7), clock: clock)
        try await Person.silent { isAsked in
            let save = Task { try await store.save(.make(1)) }
            await isAsked()
            await clock.sleeper(for: .seconds(7))
            clock.advance(by: .seconds(7))
            let error = await #expect(throws: TokenStoreError.self) { try await save.value }
            #expect(error?.kind == .timedOut)
        }
    }

    private func requireRefusal(_ error: (any Error)?) throws {
        let refusal = try #require(error as? TokenStoreError)
        #expect(refusal.kind == .unavailable && refusal.detail.contains("refused"))
    }
}

@Suite(.enabled(if: Desktop.is(.restarting), how))
struct SecretServiceRestartTests {
    @Test func `a keyring that was started again is used at once`() async throws {
        let store = SecretServiceTokenStore<TestToken>(client: "client", account: "me")
        var keyring = try Keyring.started()
        defer { Keyring.end(keyring) }
        try await store.save(.make(1))
        for operation in 0..<3 {
            Keyring.end(keyring)
            keyring = try Keyring.started()
            switch operation {
            case 0: #expect(try await store.load() == nil)  // This keyring keeps its items in memory only.
            case 1: try await store.save(.make(2))
            default: try await store.clear()
            }
        }
    }
}

/// The person whom the keyring of the desktop `asking` asks, and who allows everything without these files.
private enum Person {
    /// Refuses whatever is asked during the body.
    static func refusing(_ body: () async throws -> Void) async throws { try await with("refuse", body: body) }

    /// - Parameter files: those of `.ci/keyring.py` that exist during the body.
    static func with(_ files: String..., body: () async throws -> Void) async throws {
        let folder = try #require(ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
        let paths = files.map { URL(filePath: folder).appending(path: $0) }
        for path in paths { try Data().write(to: path) }
        defer { for path in paths { try? FileManager.default.removeItem(at: path) } }
        try await body()
    }

    /// Answers nothing during the body.
    ///
    /// - Parameter body: gets a function that returns when the keyring has shown a prompt.
    static func silent(_ body: (_ isAsked: @Sendable () async -> Void) async throws -> Void) async throws {
        let folder = try #require(ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
        let pipe = folder + "/silent"
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        try await body {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                DispatchQueue.global().async {
                    close(open(pipe, O_RDONLY))
                    continuation.resume()
                }
            }
        }
    }
}

/// Direct changes of the keyring by the tests.
private enum Keyring {
    /// Starts `.ci/keyring.py`, and returns when it has the name of the Secret Service.
    static func started() throws -> Process {
        let keyring = try Process.run(URL(filePath: "/usr/bin/python3"), arguments: [".ci/keyring.py"])
        let wait = try Process.run(
            URL(filePath: "/usr/bin/gdbus"),
            arguments: ["wait", "--session", "--timeout", "60", "org.freedesktop.secrets"])
        wait.waitUntilExit()
        try #require(wait.terminationStatus == 0)
        return keyring
    }

    static func end(_ keyring: Process) {
        guard keyring.isRunning else { return }
        // Foundation starts programs with most signals blocked, but not this one.
        _ = kill(keyring.processIdentifier, SIGKILL)
        keyring.waitUntilExit()
    }

    static func lock() throws {
        let service = try #require(secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, nil, nil))
        defer { g_object_unref(service) }
        let collection = try #require(
            secret_collection_for_alias_sync(service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, nil, nil))
        defer { g_object_unref(collection) }
        var list = GList(data: collection, next: nil, prev: nil)
        try #require(secret_service_lock_sync(service, &list, nil, nil, nil) == 1)
    }

    /// The label and the attributes of the items of an account, sorted.
    static func faces(of account: String) throws -> [String] {
        let table = SecretServiceTable(["account": account])
        let flags = SecretSearchFlags(SECRET_SEARCH_ALL.rawValue)
        let items = SecretServiceItems(secret_service_search_sync(nil, nil, table.pointer, flags, nil, nil))
        return items.all.flatMap { item in
            var faces: [String] = []
            if let label = secret_item_get_label(item) { faces.append("label=\(String(cString: label))") }
            let attributes = secret_item_get_attributes(item)
            defer { g_hash_table_unref(attributes) }
            var iterator = GHashTableIter()
            var (key, value): (gpointer?, gpointer?) = (nil, nil)
            g_hash_table_iter_init(&iterator, attributes)
            while g_hash_table_iter_next(&iterator, &key, &value) != 0 {
                let texts = [key, value].compactMap {
                    $0.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
                }
                faces.append(texts.joined(separator: "="))
            }
            return faces
        }.sorted()
    }
}
#endif
