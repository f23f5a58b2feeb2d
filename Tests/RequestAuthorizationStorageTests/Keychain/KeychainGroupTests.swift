// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// Stores of one client and account in different access groups. Apple's search, update and delete use all of them.
@Suite struct KeychainGroupTests {
    typealias Store = KeychainTokenStore<TestToken>

    /// The entitlements of a program: with its own group first, with a keychain group first, or with another own group.
    static let programs: [[String]] = [
        ["TEAM.app", "TEAM.shared"], ["TEAM.shared", "TEAM.app"], ["TEAM.shared", "TEAM.com.example.other"],
    ]

    private func store(_ keychain: FakeKeychain, _ group: String? = nil) -> Store {
        Store("client", "me", accessGroup: group, calls: keychain)
    }

    private func groups(of keychain: FakeKeychain) -> [String?] {
        keychain.items.keys.map(\.accessGroup).sorted { ($0 ?? "") < ($1 ?? "") }
    }

    @Test func `a store without a group neither loads nor clears the item of another group`() async throws {
        for isLaunchedAgain in [false, true] {
            let before = FakeKeychain()
            let keychain = isLaunchedAgain ? FakeKeychain(of: before) : before
            try await store(before, "TEAM.shared").save(.make(1))
            #expect(try await store(keychain).load() == nil)
            try await store(keychain).clear()
            #expect(try await store(keychain, "TEAM.shared").load() == .make(1))
            try await store(keychain).save(.make(2))
            #expect(groups(of: keychain) == ["TEAM.app", "TEAM.shared"])
            #expect(try await store(keychain, "TEAM.shared").load() == .make(1))
            try await store(keychain, "TEAM.shared").clear()
            #expect(try await store(keychain).load() == .make(2))
            #expect(keychain.items.count == 1)
        }
    }

    @Test func `an app group that has the name of the program is another group`() async throws {
        let keychain = FakeKeychain()
        try await store(keychain, "group.app").save(.make(1))
        #expect(try await store(keychain).load() == nil)
        try await store(keychain).save(.make(2))
        #expect(groups(of: keychain) == ["TEAM.app", "group.app"])
        // Also for the next launch, which finds both.
        #expect(try await store(FakeKeychain(of: keychain)).load() == .make(2))
        try await store(FakeKeychain(of: keychain)).clear()
        #expect(groups(of: keychain) == ["group.app"])
        #expect(try await store(keychain, "group.app").load() == .make(1))
    }

    @Test func `a token moves into a group, and back`() async throws {
        let keychain = FakeKeychain()
        let (own, shared) = (store(keychain), store(keychain, "TEAM.shared"))
        try await own.save(.make(1))
        #expect(try await own.migrate(to: shared) == .moved)
        #expect(try await shared.load() == .make(1))
        #expect(try await own.load()?.content == .moved(to: "KeychainTokenStore"))
        #expect(try await own.migrate(to: shared) == .nothingToMove)
        #expect(try await shared.migrate(to: own) == .moved)
        #expect(try await own.load() == .make(1))
        #expect(try await shared.load()?.token == nil)
    }

    @Test func `a token that an earlier version had without keychain groups is found, moved and cleared`()
        async throws
    {
        let before = FakeKeychain(groups: ["TEAM.app"])
        for isMoved in [true, false] {
            try await store(before).save(.make(1))
            // The update has a keychain group. It comes before the program's own group.
            let keychain = FakeKeychain(of: before, groups: ["TEAM.shared", "TEAM.app"])
            let own = store(keychain)
            #expect(try await own.load() == .make(1))
            try await own.save(.make(2))
            #expect(groups(of: keychain) == ["TEAM.app"])
            if isMoved {
                for outcome in [TokenMigration.moved, .nothingToMove] {
                    #expect(try await store(keychain).migrate(to: store(keychain, "TEAM.shared")) == outcome)
                    #expect(try await store(keychain, "TEAM.shared").load() == .make(2))
                }
            }
            // No token comes back after a sign-out.
            try await store(keychain).clear()
            #expect(try await store(keychain).load() == nil)
            #expect(keychain.items.isEmpty)
        }
    }

    @Test func `a move onto itself changes nothing`() async throws {
        let keychain = FakeKeychain(groups: ["TEAM.shared"])
        let (one, other) = (store(keychain), store(keychain, "TEAM.shared"))
        try await one.save(.make(1))
        for (from, to) in [(one, other), (other, one), (one, one), (store(keychain), store(keychain, "TEAM.shared"))] {
            #expect(try await from.migrate(to: to) == .nothingToMove)
            #expect(try await one.load() == .make(1))
            #expect(try await other.load() == .make(1))
        }
    }

    @Test func `on systems with one keychain both kinds are the same item`() async throws {
        let phone = FakeKeychain(hasFileKeychain: false)
        let (one, other) = (store(phone), Store("client", "me", kind: .file, calls: phone))
        try await one.save(.make(1))
        #expect(try await one.migrate(to: other) == .nothingToMove)
        #expect(try await one.load() == .make(1))
        let mac = FakeKeychain()
        try await store(mac).save(.make(1))
        #expect(try await store(mac).migrate(to: Store("client", "me", kind: .file, calls: mac)) == .moved)
        #expect(Set(mac.items.keys.map(\.keychain)) == [.dataProtection, .file])
        // The file-based keychain has no groups.
        let shared = Store("client", "me", accessGroup: "TEAM.other", kind: .file, calls: mac)
        #expect(try await shared.load() == .make(1))
    }

    @Test func `a key and the item of a device are not those of another group`() async throws {
        let keychain = FakeKeychain()
        let shared = KeychainTokenItem(query: .test("TEAM.shared"), keychain: keychain)
        #expect(try await shared.load(orAdding: Data([1])) == Data([1]))
        let own = KeychainTokenItem(query: .test(nil), keychain: FakeKeychain(of: keychain))
        #expect(try await own.load(orAdding: Data([2])) == Data([2]))
        #expect(try await shared.load() == Data([1]))
        #expect(groups(of: keychain) == ["TEAM.app", "TEAM.shared"])
    }

    @Test func `the first group is found once for a program, and leaves no item`() async throws {
        let keychain = FakeKeychain()
        try await store(keychain, "TEAM.shared").save(.make(1))
        keychain.forgetCalls()
        for _ in 0..<3 { #expect(try await store(keychain).load() == nil) }
        #expect(keychain.calls == [.accessGroups, .add, .delete, .accessGroups, .accessGroups])
        #expect(groups(of: keychain) == ["TEAM.shared"])
    }

    // MARK: - Any order

    /// What the groups hold, as a model: the token of each group, or a marker.
    private struct Model {
        enum Item: Equatable { case token(StoredToken<TestToken>), marker }
        let groups: [String]
        var items: [String: Item] = [:]

        func place(_ group: String?) -> String? {
            if let group { return items[group] == nil ? nil : group }
            return ["TEAM.app", groups[0]].first { groups.contains($0) && items[$0] != nil }
        }

        func token(_ group: String?) -> StoredToken<TestToken>? {
            if let place = place(group), case .token(let stored)? = items[place] { stored } else { nil }
        }

        mutating func save(_ item: Item, _ group: String?) { items[place(group) ?? group ?? groups[0]] = item }

        mutating func clear(_ group: String?) {
            for group in group.map({ [$0] }) ?? ["TEAM.app", groups[0]] { items[group] = nil }
        }

        mutating func migrate(_ from: String?, _ to: String?) -> TokenMigration {
            guard let stored = token(from), place(from) != place(to) else { return .nothingToMove }
            if let kept = token(to), kept.version != stored.version {
                guard kept.version.session == stored.version.session else { return .otherIsThere }
                if kept.version.generation > stored.version.generation {
                    save(.marker, from)
                    return .newerIsThere
                }
            }
            let source = place(from)
            save(.token(stored), to)
            if let source { items[source] = .marker }
            return .moved
        }
    }

    @Test(arguments: programs, [1, 2, 3])
    func `in any order of operations no token is lost, or taken from another group`(
        groups: [String], seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let names = [nil, "TEAM.shared"]
        let sessions = [UUID(), UUID()]
        var keychain = FakeKeychain(groups: groups)
        var model = Model(groups: groups)
        var stores = names.map { store(keychain, $0) }
        for step in 0..<1_500 {
            let (one, other) = (Int.random(in: 0...1, using: &random), Int.random(in: 0...1, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                let version = TokenVersion(
                    session: sessions[Int.random(in: 0...1, using: &random)],
                    generation: Int.random(in: 0..<4, using: &random))
                let stored = StoredToken(
                    .token(TestToken("test-credential-\(version.session)-\(version.generation)")), version: version,
                    obtainedAt: Date(timeIntervalSince1970: 1_800_000_000))
                try await stores[one].save(stored)
                model.save(.token(stored), names[one])
            case 4:
                try await stores[one].clear()
                model.clear(names[one])
            case 5..<9:
                let outcome = try await stores[one].migrate(to: stores[other])
                #expect(outcome == model.migrate(names[one], names[other]), "step \(step)")
            case 9:
                // The next launch.
                keychain = FakeKeychain(of: keychain)
                stores = names.map { store(keychain, $0) }
            case 10 where groups == ["TEAM.shared", "TEAM.app"]:
                // An earlier version without keychain groups is launched once more.
                let former = FakeKeychain(of: keychain, groups: ["TEAM.app"])
                let stored = StoredToken(
                    .token(TestToken("test-credential-former-\(step)")),
                    version: TokenVersion(session: UUID(), generation: 0), obtainedAt: .now)
                try await store(former).save(stored)
                model.items["TEAM.app"] = try await store(former).load().map { .token($0) }
                stores = names.map { store(keychain, $0) }
            default: break
            }
            for (store, name) in zip(stores, names) {
                let stored = try await store.load()
                #expect((stored?.token == nil ? nil : stored) == model.token(name), "step \(step) \(name ?? "")")
            }
            #expect(Set(self.groups(of: keychain)) == Set(model.items.keys.map { $0 }), "step \(step)")
        }
    }
}

extension KeychainQuery {
    fileprivate static func test(_ group: String?) -> KeychainQuery {
        KeychainQuery(service: "s", account: "a", accessGroup: group, accessibility: .default)
    }
}

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
private struct SeededGenerator: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9e37_79b9_7f4a_7c15
        var value = seed
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
