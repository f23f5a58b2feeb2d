// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures

@_spi(FileLayer) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder of files.
struct FileWorld: World {
    private let folder: TemporaryFolder

    init(clock: HastyClock) throws { folder = try TemporaryFolder() }

    /// A system call says whether it was made.
    static var mishaps: [Mishap] { [.fails, .hangs, .dies] }

    func items(_ account: String, _ fate: Fate) -> RestrictedFileItems {
        RestrictedFileItems(client: "client", account: account, folder: .at(folder.tokens), layer: MortalFiles(fate))
    }

    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken> {
        RestrictedFileTokenStore<TestToken>(items(account, fate))
    }

    func remove(_ account: String, _ fate: Fate) async throws {
        try await items(account, fate).removeAll(within: .seconds(30))
    }
}

#if canImport(CryptoKit) || Crypto
/// A folder of encrypted files.
struct SealedFileWorld: World {
    private let files: FileWorld

    init(clock: HastyClock) throws { files = try FileWorld(clock: clock) }

    static var mishaps: [Mishap] { FileWorld.mishaps }

    func store(_ account: String, _ fate: Fate) async throws -> any TokenStore<TestToken> {
        EncryptedTokenStore<TestToken, _>(around: files.items(account, fate), key: .first)
    }

    private func renewed(_ fate: Fate) -> EncryptedTokenStore<TestToken, RestrictedFileItems> {
        EncryptedTokenStore(around: files.items("me", fate), key: .second, oldKeys: [.first])
    }

    func storeWithNewKey(_ fate: Fate) async throws -> (any TokenStore<TestToken>)? { renewed(fate) }
    func rotateKey(_ fate: Fate) async throws { try await renewed(fate).reencrypt() }
    func remove(_ account: String, _ fate: Fate) async throws { try await files.remove(account, fate) }
}

extension TokenKey {
    static var first: TokenKey { .fixed(1) }
    static var second: TokenKey { .fixed(2) }

    private static func fixed(_ byte: UInt8) -> TokenKey {
        do {
            return try .bytes(Data(repeating: byte, count: 32), id: "\(byte)")
        } catch {
            preconditionFailure("32 bytes are a key")
        }
    }
}
#endif

/// The file system as a process with a fate uses it.
///
/// When the process dies, the kernel ends the calls that it is in, and then closes its files. A number that was closed
/// during a call would soon be that of another process's file.
private final class MortalFiles: NotifyingFileLayer {
    private struct Descriptors {
        var open: Set<CInt> = []
        var calls = 0
        var isDead = false

        /// Forgets the files that can be closed now.
        mutating func takeClosable() -> Set<CInt> {
            guard isDead, calls == 0 else { return [] }
            defer { open = [] }
            return open
        }
    }

    private let base = SystemFileLayer()
    private let fate: Fate
    private let descriptors = Lock(Descriptors())

    init(_ fate: Fate) {
        self.fate = fate
        fate.atEnd { [base, descriptors] in
            let files = descriptors.withLock { descriptors in
                descriptors.isDead = true
                return descriptors.takeClosable()
            }
            for file in files { base.close(file) }
        }
    }

    // Without the system's notices: no process of these tests is told of another's changes.
    func follow(_ folder: CInt, _ handler: @escaping @Sendable (String?) -> Void) -> (@Sendable () -> Void)? { {} }

    func openFolder(_ path: String) throws -> CInt { try opening("openFolder") { try base.openFolder(path) } }
    func makeFolder(_ path: String) throws { try call("makeFolder") { try base.makeFolder(path) } }
    func status(ofPath path: String) throws -> FileStatus? { try call("status") { try base.status(ofPath: path) } }
    func names(in folder: CInt) throws -> [String] { try call("names") { try base.names(in: folder) } }
    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        try opening("open \(name)") { try base.open(name, in: folder, for: purpose) }
    }
    func close(_ file: CInt) { if descriptors.withLock({ $0.open.remove(file) }) != nil { base.close(file) } }
    func status(of file: CInt) throws -> FileStatus { try call("status") { try base.status(of: file) } }
    func status(of name: String, in folder: CInt) throws -> FileStatus? {
        try call("status \(name)") { try base.status(of: name, in: folder) }
    }
    func read(_ file: CInt, atMost limit: Int) throws -> Data {
        try call("read") { try base.read(file, atMost: limit) }
    }
    func write(_ data: Data, to file: CInt) throws { try call("write") { try base.write(data, to: file) } }
    func sync(_ file: CInt) throws { try call("sync") { try base.sync(file) } }
    func syncData(_ file: CInt) throws { try call("syncData") { try base.syncData(file) } }
    func rename(_ name: String, to newName: String, in folder: CInt) throws {
        try call("rename \(newName)") { try base.rename(name, to: newName, in: folder) }
    }
    func remove(_ name: String, in folder: CInt) throws {
        try call("remove \(name)") { try base.remove(name, in: folder) }
    }
    func lock(_ file: CInt) throws -> Bool { try call("lock") { try base.lock(file) } }
    func unlock(_ file: CInt) { try? entering { base.unlock(file) } }
    func birth(of folder: CInt) -> FolderBirth? { try? entering { base.birth(of: folder) } }

    // MARK: -

    private func call<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try fate.blockingCall(name) { try entering(body) }
        } catch is Fate.NoAnswer {
            throw FileError(name, EIO)
        }
    }

    private func opening(_ name: String, _ body: () throws -> CInt) throws -> CInt {
        try call(name) {
            let file = try body()
            descriptors.withLock { _ = $0.open.insert(file) }
            return file
        }
    }

    /// Makes a call, unless the process is dead. Its files stay open for as long.
    private func entering<Result>(_ body: () throws -> Result) throws -> Result {
        try descriptors.withLock { descriptors in
            guard !descriptors.isDead else { throw FileError("a call after death", EIO) }
            descriptors.calls += 1
        }
        defer {
            let files = descriptors.withLock { descriptors in
                descriptors.calls -= 1
                return descriptors.takeClosable()
            }
            for file in files { base.close(file) }
        }
        return try body()
    }
}
