// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
@testable import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import StoreFixtures
import Testing

/// Sign-ins are kept until a caller takes them.
@Suite struct PendingSignInStoreTests {
    /// The places in which sign-ins can be kept.
    enum Place: CaseIterable {
        case memory, shared, plain, named

        var store: any PendingSignInStore {
            switch self {
            case .memory: InMemoryPendingSignIns()
            case .shared: ItemPendingSignIns(InMemoryItems())
            case .plain: ItemPendingSignIns(PlainItems())
            case .named: .items(PlainPlace())
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `a sign-in can be found any number of times, and taken once`(place: Place) async throws {
        let store = place.store
        let (first, second) = (PendingSignIn.make(state: "a"), PendingSignIn.make(state: "b"))
        try await store.add(first)
        try await store.add(second)
        #expect(try await store.find(state: "a") == first)
        #expect(try await store.find(state: "a") == first)
        #expect(try await store.take(state: "a") == first)
        #expect(try await store.find(state: "b") == second)
        await #expect(throws: SignInError(.alreadyUsed)) { try await store.take(state: "a") }
        await #expect(throws: SignInError(.alreadyUsed)) { try await store.find(state: "a") }
        await #expect(throws: SignInError(.alreadyUsed)) { try await store.add(first) }
    }

    @Test(arguments: Place.allCases)
    func `an unknown state is not found`(place: Place) async throws {
        let store = place.store
        try await store.add(.make(state: "a"))
        for state in ["b", "", "aa"] {
            #expect(try await store.find(state: state) == nil)
            #expect(try await store.take(state: state) == nil)
        }
    }

    @Test(arguments: Place.allCases)
    func `of 50 concurrent callers that take a sign-in one gets it`(place: Place) async throws {
        let store = place.store
        try await store.add(.make(state: "a"))
        let winners = await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { (try? await store.take(state: "a")) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test func `of several processes that share the item one gets the sign-in`() async throws {
        let items = InMemoryItems()
        try await ItemPendingSignIns(items).add(.make(state: "a"))
        let winners = await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { (try? await ItemPendingSignIns(items).take(state: "a")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test func `processes that add sign-ins at the same time lose none`() async throws {
        let items = InMemoryItems()
        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask { try await ItemPendingSignIns(items).add(.make(state: "\(index)")) }
            }
            try await group.waitForAll()
        }
        for index in 0..<20 { #expect(try await ItemPendingSignIns(items).find(state: "\(index)") != nil) }
    }

    @Test func `stores in one place lose no sign-in, and take each once, also without conditional saves`() async throws
    {
        let place = PlainPlace()
        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask { try await ItemPendingSignIns(in: place).add(.make(state: "\(index)")) }
            }
            try await group.waitForAll()
        }
        for index in 0..<20 { #expect(try await ItemPendingSignIns(in: place).find(state: "\(index)") != nil) }
        let winners = await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { (try? await ItemPendingSignIns(in: place).take(state: "7")) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
        // A change that fails releases the lock.
        await #expect(throws: SignInError(.alreadyUsed)) { try await ItemPendingSignIns(in: place).take(state: "7") }
        #expect(try await ItemPendingSignIns(in: place).take(state: "8") != nil)
    }

    @Test func `the sign-ins of a client are in a file of their own`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any PendingSignInStore = .items(NamedFiles(client: "tool", folder: .at(folder.path)))
        try await store.add(.make(state: "a"))
        let items = RestrictedFileItems(client: "tool sign-in", account: "pending", folder: .at(folder.path))
        #expect(try await ItemPendingSignIns(items).take(state: "a") != nil)
        await #expect(throws: SignInError(.alreadyUsed)) { try await store.take(state: "a") }
        #expect(try await RestrictedFileAccounts(client: "tool", folder: .at(folder.path)).names() == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func `of two processes that take a sign-in one gets it, and the other gets alreadyUsed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let items = InterruptedItems(
            RestrictedFileItems(client: "client", account: "sign-in", folder: .at(folder.path)))
        let store = ItemPendingSignIns(items)
        let other = try SecondProcess("take", folder.path)
        #expect(try await other.line() == "ready")
        // The other process takes the sign-in after this one has read, and before it saves.
        try await store.add(.make(state: "a"))
        items.interrupt {
            try other.say("a")
            #expect(try await other.line() == "taken")
        }
        await #expect(throws: SignInError(.alreadyUsed)) { try await store.take(state: "a") }
        // Also in random order.
        for round in 0..<20 {
            try await store.add(.make(state: "\(round)"))
            try other.say("\(round)")
            let isOurs = (try? await store.take(state: "\(round)")) != nil
            #expect(try await other.line() == (isOurs ? "already used" : "taken"))
        }
    }

    @Test func `a sign-in in a file survives a restart, and is taken once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func store() -> some PendingSignInStore {
            .items(RestrictedFileItems(client: "tool", account: "sign-in", folder: .at(folder.path)))
        }
        let pending = PendingSignIn.make()
        try await store().add(pending)
        #expect(try await store().find(state: pending.state) == pending)
        #expect(try await store().take(state: pending.state) == pending)
        await #expect(throws: SignInError(.alreadyUsed)) { try await store().take(state: pending.state) }
    }

    @Test func `of several stores on one file that take a sign-in at the same time one gets it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = { @Sendable in
            ItemPendingSignIns(
                RestrictedFileItems(client: "tool", account: "sign-in", folder: .at(folder.path)))
        }
        try await store().add(.make(state: "a"))
        let winners = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { (try? await store().take(state: "a")) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test func `an unreadable item is set aside, and the next sign-in works`() async throws {
        let items = InMemoryItems(Data("damaged".utf8))
        let store = ItemPendingSignIns(items)
        #expect(try await store.find(state: "a") == nil)
        try await store.add(.make(state: "a"))
        #expect(try await store.find(state: "a") != nil)
        #expect(items.aside == [Data("damaged".utf8)])
    }

    @Test(.timeLimit(.minutes(5)))
    func `an unreadable item that cannot be set aside is replaced by the next sign-in`() async throws {
        let items = InMemoryItems(Data("damaged".utf8))
        let store = ItemPendingSignIns(InterruptedItems(items))
        try await store.add(.make(state: "a"))
        #expect(try await store.find(state: "a") != nil)
        #expect(items.aside.isEmpty)
    }

    @Test func `sign-ins that are too old or too many are removed, the oldest first`() async throws {
        let store = InMemoryPendingSignIns(limit: 2)
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for (state, seconds) in [("a", 0.0), ("b", 1), ("c", 2)] {
            try await store.add(.make(state: state, createdAt: start.addingTimeInterval(seconds)))
        }
        #expect(try await store.find(state: "a") == nil)
        _ = try await store.take(state: "b")
        try await store.add(.make(state: "d", createdAt: start.addingTimeInterval(1201.5)))
        #expect(try await store.find(state: "b") == nil)
        #expect(try await store.find(state: "c") != nil)
        try await store.add(.make(state: "e", createdAt: start.addingTimeInterval(1202)))
        #expect(try await store.find(state: "c") == nil)
    }

    @Test func `the store of the process is one`() async throws {
        let pending = PendingSignIn.make(state: UUID().uuidString)
        let (one, other): (InMemoryPendingSignIns, InMemoryPendingSignIns) = (.inMemory, .inMemory)
        try await one.add(pending)
        #expect(try await other.take(state: pending.state) == pending)
    }
}
