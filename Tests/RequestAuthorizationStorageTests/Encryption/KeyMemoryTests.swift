// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationStorage

/// Keys that stay in memory after this package has released them.
@Suite(.timeLimit(.minutes(5))) struct KeyMemoryTests {
    @Test func `a key from a source is wiped, whichever method returned it`() async throws {
        let keys = WatchedKeys()
        let key = TokenKey.kept(by: keys)
        _ = try await key.material.key(.none)
        #expect(keys.freed == [true])
        keys.hasOne = true
        _ = try await key.material.key(.none)
        _ = try await key.material.existingKey(.none)
        #expect(keys.freed == [true, true, true])
    }

    #if os(Linux)
    /// The allocator overwrites the first 16 bytes of freed memory with its list, so the second half is searched. Whole
    /// copies are the key schedules of AES, which swift-crypto does not wipe.
    @Test func `no copy of ours stays in freed memory, also after a thread that was late`() async throws {
        let folder = try TemporaryFolder()
        let process = try SecondProcess("seal", folder.tokens)
        #expect(try await process.line() == "sealed")
        var keys: [Data: Data] = [:]
        for number in 0..<16 {
            let key = try #require(folder.content(of: "client,key-\(number).token"))
            keys[key.suffix(16)] = key.prefix(16)
        }
        #expect(keys.count == 16)
        let copies = try memory(of: process.id).map { place in
            // The allocator aligns memory to 16 bytes.
            stride(from: 16, to: place.count, by: 16).count { start in
                guard let beginning = keys[place[start..<start + 16]] else { return false }
                return place[start - 16..<start] != beginning
            }
        }
        #expect(!copies.isEmpty && copies.reduce(0, +) == 0)
    }

    /// All allocated memory, without stacks.
    private func memory(of id: pid_t) throws -> [Data] {
        let maps = try String(contentsOfFile: "/proc/\(id)/maps", encoding: .utf8)
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(id)/mem"))
        return try maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2, ends[1] - ends[0] < 8 << 20 else { return nil }
            guard fields.count < 6 || fields[5] == "[heap]" else { return nil }
            try file.seek(toOffset: ends[0])
            return try file.read(upToCount: Int(ends[1] - ends[0]))
        }
    }
    #endif
}

/// A source that checks its keys when they are freed.
private final class WatchedKeys: TokenKeySource {
    private let state = Lock((hasOne: false, freed: [Bool]()))

    /// Whether `load` finds a key. If not, `keep` returns one, as if another process had kept it just before.
    var hasOne: Bool {
        get { state.withLock(\.hasOne) }
        set { state.withLock { $0.hasOne = newValue } }
    }
    /// For each key, whether it was wiped.
    var freed: [Bool] { state.withLock(\.freed) }

    func load() async throws -> Data? { hasOne ? key() : nil }
    func keep(_ key: Data) async throws -> Data { self.key() }

    private func key() -> Data {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: 7, count: 32)
        return Data(
            bytesNoCopy: memory, count: 32,
            deallocator: .custom { [state] _, _ in
                let isWiped = UnsafeRawBufferPointer(start: memory, count: 32).allSatisfy { $0 == 0 }
                state.withLock { $0.freed.append(isWiped) }
                memory.deallocate()
            })
    }
}
#endif
