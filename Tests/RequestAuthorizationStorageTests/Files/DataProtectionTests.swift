// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@_spi(FileLayer) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A device that encrypts files while it is locked.
@Suite struct DataProtectionTests {
    @Test(arguments: [(true, TokenStoreError.Kind.unavailable), (false, .readOnly)])
    func `a file that must not be opened is unavailable where devices are locked, and read-only elsewhere`(
        hasDataProtection: Bool, kind: TokenStoreError.Kind
    ) async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let isLocked = Lock(true)
        let store = folder.store(
            on: ObservedFileLayer(
                hasDataProtection: hasDataProtection,
                before: { call in
                    if ["open", "create"].contains(call.function), isLocked.withLock({ $0 }) {
                        throw FileError("openat", EPERM)
                    }
                }))
        for body: @Sendable () async throws -> Void in [
            { _ = try await store.load() }, { try await store.save(.make(2)) },
            { try await store.lock(within: .seconds(10)).unlock() },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await body() }
            #expect(error?.kind == kind)
            #expect(error?.detail.contains("unlocked") == hasDataProtection)
        }
        isLocked.withLock { $0 = false }
        #expect(try await store.load() == .make(1))
        try await store.save(.make(2))
    }

    @Test func `a folder and its files are protected before they have contents`() async throws {
        let folder = try TemporaryFolder()
        let calls = Lock<[String]>([])
        let store = folder.store(
            on: ObservedFileLayer(
                hasDataProtection: true,
                after: { call in
                    guard ["makeFolder", "create", "protect", "write"].contains(call.function) else { return }
                    calls.withLock { $0.append("\(call.function) \(call.name)") }
                }))
        try await store.save(.make(1))
        try await store.save(.make(2))
        #expect(
            calls.withLock { $0 } == [
                "makeFolder .", "protect tokens",
                "create client,me.intent", "protect client,me.intent", "write client,me.intent",
                "create client,me.new", "protect client,me.new", "write client,me.new", "write client,me.guard",
                "create client,me.new", "protect client,me.new", "write client,me.new",
            ])
    }

    @Test func `a system that keeps no files has no file store, and the error names the Keychain`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store(on: ObservedFileLayer(keepsFiles: false))
        for body: @Sendable () async throws -> Void in [
            { _ = try await store.load() }, { try await store.save(.make(2)) }, { try await store.clear() },
            { try await store.lock(within: .seconds(10)).unlock() },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await body() }
            #expect(error?.kind == .unsuitable && error?.detail.contains("KeychainTokenStore") == true)
        }
        #expect(store.changes == nil && !FileManager.default.fileExists(atPath: folder.tokens))
    }
}
