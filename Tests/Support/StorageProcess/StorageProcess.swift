// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A second process for the tests of stores.
///
///     StorageProcess hold FOLDER            holds exclusive access until its input ends
///     StorageProcess spawn FOLDER           as hold, and starts a process that outlives it
///     StorageProcess save-slowly FOLDER     saves a token, but waits for a line of input while it has the guard
///     StorageProcess save FOLDER            saves a token with umask 000, and an intent
///     StorageProcess intent FOLDER          saves an intent
///     StorageProcess load FOLDER            prints the token that a provider loads
///     StorageProcess save-with UMASK FOLDER makes the folder and saves and loads a token twice with an octal umask
///     StorageProcess save-as UID FOLDER     becomes another user, and tries to load and to save
///     StorageProcess seal FOLDER            encrypts and decrypts tokens with new keys, and releases the keys
///     StorageProcess take FOLDER            takes the pending sign-in of each state in its input
///     StorageProcess sign-in FOLDER         signs in with a provider, and out when its input ends
///     StorageProcess resource URL HOW FOLDER  calls a resource and prints its token; if HOW is `hold`, the person waits for
///                                           a line of input
///
/// Each prints a line for every step.
@main struct StorageProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = arguments.first, let folder = arguments.last, arguments.count > 1 else { exit(2) }
        let store = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(folder))
        switch command {
        case "hold", "spawn":
            let lock = try await store.lock(within: .seconds(300))
            if command == "spawn" {
                let child = try Process.run(URL(filePath: "/bin/sleep"), arguments: ["300"])
                say("\(child.processIdentifier)")
            } else {
                say("held")
            }
            untilInputEnds()
            await lock.unlock()
        case "save-slowly":
            let item = try JSONEncoder().encode(stored("slow"))
            _ = try await store.items.save(item) { _, _ in
                say("has the guard")
                return readLine() != nil
            }
            say("saved")
        case "save":
            umask(0)
            try await save(in: store)
            say("saved")
        case "intent":
            try await store.setIntent(RefreshIntent(session: UUID(), generation: 0, beganAt: .now))
            say("saved")
        case "load":
            let auth = RefreshableTokenAuthorization(service: ScriptedTokenService<TestToken>(), store: store)
            // With an intent the provider would refresh.
            try await store.setIntent(nil)
            say(try await auth.validToken().name)
        case "save-with":
            umask(mode_t(arguments[1], radix: 8) ?? 0)
            for generation in 0...1 {
                try await save(in: store, generation: generation)
                try await store.lock(within: .seconds(30)).unlock()
            }
            say(try await store.load()?.token?.name ?? "nothing")
        case "save-as":
            guard let user = UInt32(arguments[1]), setgid(user) == 0, setuid(user) == 0 else { exit(2) }
            await say("load: \(outcome { _ = try await store.load() })")
            await say("save: \(outcome { try await store.clear() })")
        case "take":
            let signIns = ItemPendingSignIns(
                RestrictedFileItems(client: "client", account: "sign-in", folder: .at(folder)))
            say("ready")
            while let state = readLine() {
                await say(outcome { try await signIns.take(state: state) == nil ? "unknown" : "taken" })
            }
        case "sign-in":
            let auth = RefreshableTokenAuthorization(service: ScriptedTokenService<TestToken>(), store: store)
            try await auth.signIn { TestToken("from-another-process") }
            say("signed in")
            untilInputEnds()
            await auth.reset()
            say("signed out")
        #if Full
        case "resource": try await callResource(arguments[1], holds: arguments[2] == "hold", in: folder)
        #endif
        #if canImport(CryptoKit) || Crypto
        case "seal":
            try await seal(in: folder)
            say("sealed")
            untilInputEnds()
        #endif
        default: exit(2)
        }
    }

    #if Full
    private static func callResource(_ url: String, holds: Bool, in folder: String) async throws {
        let auth = ProtectedResourceAuthorization(
            url, client: ClientIdentity(name: "Tool"),
            records: .items(NamedFiles(client: "tool", folder: .at(folder))), policy: .tool,
            transport: PatientTransport(), clock: ManualClock(now: .now),
            signIn: .through(PageOpener()) { _ in
                say("asked")
                return !holds || readLine() != nil
            })
        guard let target = URL(string: url) else { exit(2) }
        await say(
            outcome {
                let (_, response) = try await URLSession.shared.data(for: URLRequest(url: target), authorizedBy: auth)
                guard (response as? HTTPURLResponse)?.statusCode == 200 else { return "refused" }
                return try await auth.validToken().accessToken
            })
        try await auth.settle(within: .seconds(30))
    }

    /// A server on a machine that is busy with other tests has not gone away. Its time does not count.
    private struct PatientTransport: TokenTransport {
        func send(_ request: TokenRequest) async throws -> TokenResponse {
            var request = request
            request.timeout = .seconds(300)
            return try await URLSession.shared.send(request)
        }
    }

    /// Opens the page itself and returns where it leads to, as a browser would.
    private struct PageOpener: CallbackReceiver {
        func callback(
            for start:
                nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
            show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
        ) async throws -> URL {
            let pending = try await start("http://127.0.0.1:1/callback")
            let answer = try await PatientTransport().send(TokenRequest(method: "GET", url: pending.url))
            guard let target = answer.headerValues(for: "Location").first.flatMap({ URL(string: $0) }) else {
                throw SignInError(.expired)
            }
            return target
        }
    }
    #endif

    private static func stored(_ name: String, generation: Int = 0) -> StoredToken<TestToken> {
        let version = TokenVersion(session: UUID(), generation: generation)
        return StoredToken(.token(TestToken(name)), version: version, obtainedAt: .now)
    }

    /// Saves a token and an intent.
    private static func save(in store: RestrictedFileTokenStore<TestToken>, generation: Int = 0) async throws {
        let stored = stored("saved", generation: generation)
        try await store.save(stored)
        try await store.setIntent(RefreshIntent(session: stored.version.session, generation: 0, beganAt: .now))
    }

    #if canImport(CryptoKit) || Crypto
    /// Makes keys, encrypts and decrypts a token with each, and then releases all keys.
    private static func seal(in folder: String) async throws {
        let keys = LateKeys()
        for number in 0..<16 {
            let key = RestrictedFileItems(client: "client", account: "key-\(number)", folder: .at(folder))
            let items = RestrictedFileItems(client: "client", account: "sealed-\(number)", folder: .at(folder))
            let store = EncryptedTokenStore<TestToken, _>(
                around: items, key: .kept(by: LateKeySource(items: key, keys: keys)))
            try await store.save(stored("sealed"))
            _ = try await store.load()
        }
        keys.letGo()
    }
    #endif

    private static func outcome(_ body: () async throws -> Void) async -> String {
        await outcome {
            try await body()
            return "nothing thrown"
        }
    }

    /// The body's text, or the kind of its error.
    private static func outcome(_ body: () async throws -> String) async -> String {
        do {
            return try await body()
        } catch let error as TokenStoreError {
            return error.kind.description
        } catch let error as SignInError {
            return error.kind.description
        } catch let error as TokenTransportError {
            return "no answer: \(error.code)"
        } catch {
            return "\(type(of: error))"
        }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    /// Blocks a thread of the cooperative pool, which this process does not need meanwhile.
    private static func untilInputEnds() { while readLine() != nil {} }
}

#if canImport(CryptoKit) || Crypto
/// Keeps references to keys, as another thread may, after their user has released them.
private final class LateKeys: Sendable {
    private let keys = Lock<[Data]>([])

    func hold(_ key: Data) { keys.withLock { $0.append(key) } }
    func letGo() { keys.withLock { $0 = [] } }
}

private struct LateKeySource: TokenKeySource {
    let items: RestrictedFileItems
    let keys: LateKeys

    func load() async throws -> Data? {
        guard let key = try await items.load() else { return nil }
        keys.hold(key)
        return key
    }

    func keep(_ key: Data) async throws -> Data {
        keys.hold(key)
        try await items.save(key)
        return key
    }
}
#endif
