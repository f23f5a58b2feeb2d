// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationStorage

/// The sessions of one account, and the clients that all accounts share, in files that only their owner can open.
struct AccountRecords: ResourceRecords {
    var account: String
    /// Encrypts all that is kept.
    let key: TokenKey?

    func record(named name: String) async throws -> Data? { try await records(name).load()?.token?.contents }

    func save(_ record: Data, named name: String) async throws {
        try await records(name).save(
            StoredToken(
                .token(Record(contents: record)), version: TokenVersion(session: UUID(), generation: 0),
                obtainedAt: SystemClock.system.now))
    }

    /// The value of a record; `nil` also for one that cannot be read.
    func value<Value: Decodable>(named name: String) async -> Value? {
        try? await record(named: name).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    func tokens(named name: String) -> any TokenStore<OAuthToken> { store(items(name, "resource session")) }

    func lock(named name: String, within limit: Duration) async throws -> TokenStoreLock {
        try await items(name, "resource sign-in").lock(within: limit)
    }

    /// The URL that this account has signed in to, and that a URL belongs to.
    func session(of url: String) async throws -> String? {
        ResourceURL.owner(of: url, among: try await Self.sessions().filter { $0.account == account }.map(\.url))
    }

    func removeSession(of url: String) async throws {
        for kind in ["resource", "login", "printed"] { try await Self.all.remove(own("\(kind) \(url)")) }
    }

    /// All accounts and URLs with a record, also of sessions that have ended.
    static func sessions() async throws -> [(account: String, url: String)] {
        try await all.names().compactMap { name in
            let parts = name.split(separator: separator, maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].hasPrefix("resource ") else { return nil }
            return (parts[0], String(parts[1].dropFirst(9)))
        }
    }

    // MARK: -

    private static let all = RestrictedFileAccounts(client: "authorize resource")
    private static let separator: Character = "\t"

    private func own(_ name: String) -> String { "\(account)\(Self.separator)\(name)" }

    private func records(_ name: String) -> any TokenStore<Record> { store(items(name, "resource")) }

    private func store<Token: AuthorizationToken & Codable>(_ items: RestrictedFileItems) -> any TokenStore<Token> {
        guard let key else { return RestrictedFileTokenStore(items) }
        return EncryptedTokenStore<Token, _>(around: items, key: key)
    }

    private func items(_ name: String, _ kind: String) -> RestrictedFileItems {
        let isShared = name.hasPrefix("registration")
        return NamedFiles(client: "authorize").item(named: isShared ? name : own(name), kind: kind)
    }
}

/// A record in the form of a token: so the stores encrypt it, and tell an encrypted one from a damaged one.
private struct Record: AuthorizationToken, Codable {
    let contents: Data
    var authorizationHeaderValue: String { "" }
}

enum ResourceURL {
    /// Whether a URL is a resource or below it: the same origin, and a path that continues at a slash.
    static func `is`(_ url: String, below resource: String) -> Bool {
        guard let parent = place(of: resource), let child = place(of: url), child.origin == parent.origin else {
            return false
        }
        let start = parent.path.hasSuffix("/") ? parent.path : parent.path + "/"
        return child.path == parent.path || child.path.hasPrefix(start)
    }

    /// The one of these that a URL belongs to: itself, else the one with the longest path above it.
    static func owner(of url: String, among urls: [String]) -> String? {
        func lengths(_ url: String) -> (Int, Int) { (place(of: url)?.path.utf8.count ?? 0, url.utf8.count) }
        return urls.contains(url) ? url : urls.filter { Self.is(url, below: $0) }.max { lengths($0) < lengths($1) }
    }

    /// The path has no dot segments, and is not empty.
    private static func place(of url: String) -> (origin: Origin, path: String)? {
        // Servers decode dots before they look for dot segments. Many also decode slashes, merge them, or drop a `;`.
        guard let url = URL(string: url.replacing(/%2[Ee]/, with: ".")), let origin = Origin(url),
            !url.path(percentEncoded: true).contains(/(\/\/|%2[Ff]|%5[Cc])\.\.|\/\.\.(%2[Ff]|%5[Cc]|;)/)
        else { return nil }
        let path = url.standardized.path(percentEncoded: true)
        return (origin, path.isEmpty ? "/" : path)
    }
}

extension TokenKey {
    /// The key in a file of 32 bytes, which no other user may read; or that of the desktop's keyring, for `keyring`.
    ///
    /// - Throws: ``ToolFailure``.
    static func read(from path: String) throws -> TokenKey {
        if path == "keyring" {
            #if SecretService
            return .kept(by: KeyringKey())
            #else
            throw ToolFailure(
                .configuration, "this program was built without the keyring",
                advice: "Build it with --traits SecretService, or name a file: --key-from ./keyring")
            #endif
        }
        let advice = "Pass that of your sessions; for the first make one: (umask 077; head -c 32 /dev/urandom >FILE)"
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw ToolFailure(.configuration, "the key file cannot be read", advice: advice)
        }
        var status = stat()
        guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw ToolFailure(.configuration, "others can read the key file", advice: "chmod 600 \(path)")
        }
        guard let bytes = try? file.read(upToCount: 33), bytes.count == 32 else {
            throw ToolFailure(.configuration, "the key file does not have 32 bytes", advice: advice)
        }
        return try .bytes(bytes)
    }
}

#if SecretService
/// The key in the keyring of a Linux desktop.
///
/// Programs cannot lock a keyring, so a file is locked: one program makes the key, and none reads it meanwhile. libsecret
/// crashes if an item is replaced while it searches.
private struct KeyringKey: TokenKeySource {
    private let item = SecretServiceTokenStore<Record>(client: "authorize", account: "key").items
    private let turn = RestrictedFileItems(client: "authorize keyring", account: "key")

    func load() async throws -> Data? { try await kept(else: nil) }
    func keep(_ key: Data) async throws -> Data { try await kept(else: key) ?? key }

    private func kept(else key: Data?) async throws -> Data? {
        let lock = try await turn.lock(within: .seconds(60))
        do {
            let kept = try await item.load().flatMap { Data(base64Encoded: $0) }
            if kept == nil, let key { try await item.save(key.base64EncodedData()) }
            await lock.unlock()
            return kept ?? key
        } catch {
            await lock.unlock()
            throw error
        }
    }
}
#endif
