// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Foreign objects in place of the folder or of a file: each is a typed error, and stays unchanged.
@Suite struct HostileFolderTests {
    @Test func `a folder that others can enter is refused`() async throws {
        for mode in [0o750, 0o705, 0o777] {
            let folder = try TemporaryFolder()
            try await folder.store().save(.make(1))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.tokens)
            try await expectRefusal(by: folder.store(), .notPrivate)
        }
    }

    @Test func `a symbolic link in place of the folder is not followed`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.tokens)
        for path in [link, link + "/", link + "//"] {
            let store = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(path))
            try await expectRefusal(by: store, .notPrivate)
        }
    }

    @Test(arguments: ["client,me.token", "client,me.guard", "client,me.intent", "client,me.lock"])
    func `a symbolic link in place of a file is not followed`(name: String) async throws {
        try await refuses(name) { folder, path in
            try Data("a file of mine".utf8).write(to: URL(filePath: folder.path + "/mine"))
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/mine")
        } stays: { folder, path in
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
            #expect(target == folder.path + "/mine")
            #expect(FileManager.default.contents(atPath: folder.path + "/mine") == Data("a file of mine".utf8))
        }
    }

    @Test(arguments: ["client,me.token", "client,me.guard", "client,me.intent", "client,me.lock"])
    func `a file with a second name is not used`(name: String) async throws {
        try await refuses(name) { folder, path in
            try Data("a file of mine".utf8).write(to: URL(filePath: folder.path + "/mine"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/mine")
            try FileManager.default.linkItem(atPath: folder.path + "/mine", toPath: path)
        } stays: { folder, _ in
            #expect(FileManager.default.contents(atPath: folder.path + "/mine") == Data("a file of mine".utf8))
        }
    }

    @Test(arguments: ["client,me.token", "client,me.guard", "client,me.intent", "client,me.lock"])
    func `a pipe in place of a file blocks no caller`(name: String) async throws {
        try await refuses(name) { _, path in
            #expect(mkfifo(path, 0o600) == 0)
        } stays: { _, path in
            let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            #expect(type != .typeRegular)
        }
    }

    @Test func `a file with a time in 2286 is accepted`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let late = timespec(tv_sec: 10_000_000_000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, folder.file("client,me.token"), [late, late], 0) == 0)
        #expect(try await folder.store().load() == .make(1))
    }

    @Test(arguments: ["client,me.token", "client,me.intent"])
    func `a folder in place of a file is not used`(name: String) async throws {
        try await refuses(name) { _, path in
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } stays: { _, path in
            let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            #expect(type == .typeDirectory)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660])
    func `a file that others can open is not used`(mode: Int) async throws {
        try await refuses("client,me.token") { folder, path in
            try folder.write("leaked", to: "client,me.token")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        } stays: { folder, _ in
            #expect(folder.content(of: "client,me.token") == Data("leaked".utf8))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func `a file of another user is not used`() async throws {
        for name in ["client,me.token", "client,me.guard", "client,me.intent", "client,me.lock"] {
            try await refuses(name) { folder, path in
                try folder.write("planted", to: name)
                #expect(chown(path, 65534, 65534) == 0)
            } stays: { folder, _ in
                #expect(folder.content(of: name) == Data("planted".utf8))
            }
        }
    }

    /// Root gives its folder away; any other user tries a folder of root.
    @Test func `a folder of another user is refused`() async throws {
        let folder = try TemporaryFolder()
        var path = "/usr"
        if geteuid() == 0 {
            try await folder.store().save(.make(1))
            path = folder.tokens
            #expect(chown(path, 65534, 65534) == 0)
        }
        let store = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(path))
        try await expectRefusal(by: store, .notPrivate)
    }

    @Test(arguments: ["tokens", "./tokens", "", "~/tokens", "/tmp/a\0b"])
    func `a path that is not absolute is refused`(path: String) async throws {
        let store = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(path))
        try await expectRefusal(by: store, .unsuitable)
    }

    @Test func `a folder whose permissions are widened is refused, and used again when they are narrowed`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.tokens)
        try await expectRefusal(by: store, .notPrivate)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.tokens)
        #expect(try await store.load() == .make(1))
    }

    @Test func `a folder that is removed while it is in use is created again`() async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        let lock = try await store.lock(within: .seconds(10))
        try FileManager.default.removeItem(atPath: folder.tokens)
        #expect(try await store.load() == nil)
        try await store.save(.make(2))
        #expect(try await folder.store().load() == .make(2))
        await lock.unlock()
    }

    // MARK: -

    private func refuses(
        _ name: String, planting: (TemporaryFolder, String) throws -> Void,
        stays: (TemporaryFolder, String) throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = folder.store()
        try await store.save(.make(1))
        try await store.lock(within: .seconds(10)).unlock()
        try FileManager.default.removeItem(atPath: folder.file(name))
        try planting(folder, folder.file(name))
        try await expectRefusal(by: store, .notPrivate, of: name.split(separator: ".").last.map(String.init) ?? "")
        try stays(folder, folder.file(name))
    }

    /// Expects this error from each use of the file.
    private func expectRefusal(
        by store: RestrictedFileTokenStore<TestToken>, _ kind: TokenStoreError.Kind, of part: String = ""
    ) async throws {
        let calls: [(name: String, parts: Set<String>, body: () async throws -> Void)] = [
            ("load", ["", "token"], { _ = try await store.load() }),
            ("save", ["", "token", "guard"], { try await store.save(.make(2)) }),
            ("conditional save", ["", "token", "guard"], { _ = try await store.save(.make(2), replacing: .anything) }),
            ("clear", ["", "token", "guard"], { try await store.clear() }),
            ("lock", ["", "lock"], { await (try await store.lock(within: .seconds(10))).unlock() }),
            (
                "intent", ["", "intent"],
                {
                    try await store.setIntent(RefreshIntent(session: UUID(), generation: 1, beganAt: .now))
                }
            ),
            ("open intent", ["", "intent"], { _ = try await store.openIntent() }),
        ]
        for call in calls where call.parts.contains(part) {
            let error = await #expect(throws: TokenStoreError.self, "\(call.name)") { try await call.body() }
            #expect(error?.kind == kind, "\(call.name)")
        }
    }
}
