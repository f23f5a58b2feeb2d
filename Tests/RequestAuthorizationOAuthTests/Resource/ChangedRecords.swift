// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorization
import StoreFixtures

@testable import RequestAuthorizationOAuth

/// Records in memory of which a test replaces some functions.
protocol ChangedRecords: ResourceRecords {
    var base: InMemoryResourceRecords { get }
}

extension ChangedRecords {
    func record(named name: String) async throws -> Data? { base.record(named: name) }
    func save(_ record: Data, named name: String) async throws { base.save(record, named: name) }
    func tokens(named name: String) -> any TokenStore<OAuthToken> { base.tokens(named: name) }
    func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
        try await base.lock(named: name, within: limit)
    }
}

/// Records on a disk that is full, or cannot be read, from a moment on.
struct FillingRecords: ChangedRecords {
    let base = InMemoryResourceRecords()
    let isFull = Lock(false)
    let isUnreadable = Lock(false)
    /// Whether a record is not saved then, or a token, whose name is "token".
    var fills: @Sendable (_ name: String) -> Bool = { _ in true }

    func record(named name: String) async throws -> Data? {
        if isUnreadable.withLock({ $0 }) { throw TokenStoreError(.unavailable, "away") }
        return base.record(named: name)
    }
    func save(_ record: Data, named name: String) async throws {
        try check(name)
        base.save(record, named: name)
    }
    func tokens(named name: String) -> any TokenStore<OAuthToken> {
        FillingTokens(base: base.tokens(named: name), records: self)
    }
    func check(_ name: String) throws {
        if isFull.withLock({ $0 }), fills(name) { throw TokenStoreError(.noSpace, "full") }
    }
}

private struct FillingTokens: TokenStore {
    let base: any TokenStore<OAuthToken>
    let records: FillingRecords

    func load() async throws -> StoredToken<OAuthToken>? { try await base.load() }
    func save(_ stored: StoredToken<OAuthToken>) async throws {
        try records.check("token")
        try await base.save(stored)
    }
    func clear() async throws {
        try records.check("token")
        try await base.clear()
    }
}

/// Records in which the store of one client is read slowly.
struct SlowlyReadRecords: ChangedRecords {
    let base = InMemoryResourceRecords()
    let name: String
    let store = (begins: AsyncStream.makeStream(of: Void.self), goesOn: AsyncStream.makeStream(of: Void.self))

    func tokens(named name: String) -> any TokenStore<OAuthToken> {
        guard name.hasSuffix(self.name) else { return base.tokens(named: name) }
        return SlowTokens(base: base.tokens(named: name), records: self)
    }
}

private struct SlowTokens: TokenStore {
    let base: any TokenStore<OAuthToken>
    let records: SlowlyReadRecords

    func load() async throws -> StoredToken<OAuthToken>? {
        records.store.begins.continuation.finish()
        for await _ in records.store.goesOn.stream {}
        return try await base.load()
    }
    func save(_ stored: StoredToken<OAuthToken>) async throws { try await base.save(stored) }
    func clear() async throws { try await base.clear() }
}

/// Records in which the store of the first client is cleared once the record of the session is read again.
struct SlowlyClearedRecords: ChangedRecords {
    let base = InMemoryResourceRecords()
    let clear = (begins: AsyncStream.makeStream(of: Void.self), goesOn: AsyncStream.makeStream(of: Void.self))
    let isClearing = Lock(false)

    func record(named name: String) async throws -> Data? {
        if isClearing.withLock({ $0 }), name.hasPrefix("resource ") { clear.goesOn.continuation.finish() }
        return base.record(named: name)
    }
    func tokens(named name: String) -> any TokenStore<OAuthToken> {
        guard name.hasSuffix("/as client-1") else { return base.tokens(named: name) }
        return SlowlyClearedTokens(base: base.tokens(named: name), records: self)
    }
}

private struct SlowlyClearedTokens: TokenStore {
    let base: any TokenStore<OAuthToken>
    let records: SlowlyClearedRecords

    func load() async throws -> StoredToken<OAuthToken>? { try await base.load() }
    func save(_ stored: StoredToken<OAuthToken>) async throws { try await base.save(stored) }
    func clear() async throws {
        records.isClearing.withLock { $0 = true }
        records.clear.begins.continuation.finish()
        for await _ in records.clear.goesOn.stream {}
        try await base.clear()
    }
}

/// Records that fail to save a session at first, and at the second try save it slowly.
struct SlowlySavedRecords: ChangedRecords {
    let base = InMemoryResourceRecords()
    let second = (begins: AsyncStream.makeStream(of: Void.self), goesOn: AsyncStream.makeStream(of: Void.self))
    private let saves = Lock(0)

    func save(_ record: Data, named name: String) async throws {
        guard name.hasPrefix("resource ") else { return base.save(record, named: name) }
        let number = saves.withLock { saves in
            saves += 1
            return saves
        }
        if number == 1 { throw TokenStoreError(.noSpace, "full") }
        if number == 2 {
            second.begins.continuation.finish()
            for await _ in second.goesOn.stream {}
        }
        base.save(record, named: name)
    }
}

/// Records that call a function before each save.
struct WatchedRecords: ChangedRecords {
    let base = InMemoryResourceRecords()
    let willSave: @Sendable (InMemoryResourceRecords, String) async -> Void

    func save(_ record: Data, named name: String) async throws {
        await willSave(base, name)
        base.save(record, named: name)
    }
}

/// Records that call a function before each lock.
struct LockedRecords: ChangedRecords {
    var base = InMemoryResourceRecords()
    let willLock: @Sendable (String, Duration) async throws -> Void

    /// Ends a stream when the sign-in of this number is about to lock.
    static func telling(_ stream: AsyncStream<Void>.Continuation, ofSignIn number: Int) -> LockedRecords {
        let count = Lock(0)
        return LockedRecords { name, _ in
            guard name.hasPrefix("sign-in") else { return }
            count.withLock { count in
                count += 1
                if count == number { stream.finish() }
            }
        }
    }

    func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
        try await willLock(name, limit)
        return try await base.lock(named: name, within: limit)
    }
}

/// A place whose items are shared as files are shared by processes.
struct SharedPlace: NamedItems {
    private let items = Lock<[String: InMemoryItems]>([:])

    func item(named name: String, kind: String) -> InMemoryItems {
        items.withLock { items in
            let item = items["\(kind) \(name)"] ?? InMemoryItems()
            items["\(kind) \(name)"] = item
            return item
        }
    }
}
#endif
