// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A second process for the tests of stores.
///
///     StorageProcess hold FOLDER            takes exclusive access, says so, keeps it until its input ends
///     StorageProcess spawn FOLDER           the same, and starts a process of its own that outlives it
///     StorageProcess save-slowly FOLDER     saves a token: says so when it has the guard, and goes on when it is told a line
///     StorageProcess save FOLDER            saves a token, with umask 000
///     StorageProcess save-with UMASK FOLDER makes the folder and saves and loads a token twice, with an octal umask
///     StorageProcess save-as UID FOLDER     becomes another user, then tries to load and to save
///     StorageProcess take FOLDER            says so, then takes the pending sign-in of each state that it is told
///     StorageProcess sign-in FOLDER         signs in as a provider does, then out when its input ends
@main struct StorageProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = arguments.first, let folder = arguments.last, arguments.count > 1 else { exit(2) }
        let store = RestrictedFileTokenStore<TestToken>(client: "client", account: "me", folder: .at(folder))
        switch command {
        case "hold":
            let lock = try await store.lock(within: .seconds(300))
            say("held")
            untilInputEnds()
            await lock.unlock()
        case "spawn":
            let lock = try await store.lock(within: .seconds(300))
            let child = Process()
            child.executableURL = URL(filePath: "/bin/sleep")
            child.arguments = ["60"]
            try child.run()
            say("\(child.processIdentifier)")
            untilInputEnds()
            await lock.unlock()
        case "save-slowly":
            let version = TokenVersion(session: UUID(), generation: 0)
            let token = StoredToken(.token(TestToken("slow")), version: version, obtainedAt: .now)
            let item = try JSONEncoder().encode(token)
            _ = try await store.items.save(item) { _, _ in
                say("has the guard")
                return readLine() != nil
            }
            say("saved")
        case "save":
            umask(0)
            let version = TokenVersion(session: UUID(), generation: 0)
            try await store.save(StoredToken(.token(TestToken("saved")), version: version, obtainedAt: .now))
            try await store.setIntent(RefreshIntent(session: version.session, generation: 0, beganAt: .now))
            say("saved")
        case "save-with":
            umask(mode_t(arguments[1], radix: 8) ?? 0)
            for generation in 0...1 {
                let version = TokenVersion(session: UUID(), generation: generation)
                try await store.save(StoredToken(.token(TestToken("saved")), version: version, obtainedAt: .now))
                try await store.setIntent(RefreshIntent(session: version.session, generation: 0, beganAt: .now))
                try await store.lock(within: .seconds(30)).unlock()
            }
            say(try await store.load()?.token?.name ?? "nothing")
        case "save-as":
            guard let user = UInt32(arguments[1]), setgid(user) == 0, setuid(user) == 0 else { exit(2) }
            await say("load: \(kind { _ = try await store.load() })")
            await say("save: \(kind { try await store.clear() })")
        case "take":
            let signIns = ItemPendingSignIns(
                RestrictedFileItems(client: "client", account: "sign-in", folder: .at(folder)))
            say("ready")
            while let state = readLine() { await say(outcome { try await signIns.take(state: state) }) }
        case "sign-in":
            let auth = RefreshableTokenAuthorization(service: ScriptedTokenService<TestToken>(), store: store)
            try await auth.signIn { TestToken("from-another-process") }
            say("signed in")
            untilInputEnds()
            await auth.reset()
            say("signed out")
        default: exit(2)
        }
    }

    private static func kind(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "nothing thrown"
        } catch let error as TokenStoreError {
            return error.kind.description
        } catch {
            return "\(type(of: error))"
        }
    }

    private static func outcome(_ body: () async throws -> PendingSignIn?) async -> String {
        do {
            return try await body() == nil ? "unknown" : "taken"
        } catch let error as SignInError {
            return error.kind.description
        } catch {
            return "\(type(of: error))"
        }
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    /// Blocks a thread of the pool, of which this process needs no other.
    private static func untilInputEnds() { while readLine() != nil {} }
}
