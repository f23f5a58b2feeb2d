// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@_spi(FileLayer) @testable import RequestAuthorizationStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct SecondProcessTests {
    @Test func `another process keeps exclusive access until it gives it up`() async throws {
        let folder = try TemporaryFolder()
        let other = try SecondProcess("hold", folder.tokens)
        #expect(try await other.line() == "held")
        let error = await #expect(throws: TokenStoreError.self) {
            try await folder.store().lock(within: .milliseconds(50))
        }
        #expect(error?.kind == .timedOut)
        let waiting = Task { try await folder.store().lock(within: .seconds(300)) }
        try other.endInput()
        try await waiting.value.unlock()
    }

    @Test func `a process that is killed does not keep others waiting`() async throws {
        let folder = try TemporaryFolder()
        let other = try SecondProcess("hold", folder.tokens)
        #expect(try await other.line() == "held")
        let waiting = Task { try await folder.store().lock(within: .seconds(300)) }
        other.kill()
        try await waiting.value.unlock()
    }

    @Test func `a child process does not inherit the access`() async throws {
        let folder = try TemporaryFolder()
        let other = try SecondProcess("spawn", folder.tokens)
        let child = try #require(pid_t(try await other.line()))
        defer { kill(child, SIGKILL) }
        other.kill()
        #expect(kill(child, 0) == 0)
        try await folder.store().lock(within: .seconds(300)).unlock()
        #expect(kill(child, 0) == 0)
    }

    @Test func `a process that is stopped during a save delays another save, and nothing is lost`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        let other = try SecondProcess("save-slowly", folder.tokens)
        #expect(try await other.line() == "has the guard")
        other.stop()
        // If it were not stopped, it would save now and release the guard.
        try other.say("go on")
        let impatient = RestrictedFileTokenStore<TestToken>(
            RestrictedFileItems(
                client: "client", account: "me", folder: .at(folder.tokens), layer: SystemFileLayer(),
                guardLimit: .milliseconds(100)))
        let error = await #expect(throws: TokenStoreError.self) { try await impatient.save(.make(2)) }
        #expect(error?.kind == .timedOut)
        let place = folder.file("client,me.guard")
        #expect(
            error?.detail.hasPrefix("another process has locked \(place) and may be stopped; resume or end it")
                == true)
        // Reading needs no guard.
        #expect(try await folder.store().load() == .make(1))
        // While this account is waited for, others are saved, more of them than there are queues.
        let patient = Task {
            try await RestrictedFileItems(
                client: "client", account: "me", folder: .at(folder.tokens), layer: SystemFileLayer(),
                guardLimit: .seconds(3_600)
            ).saveIntent(nil)
        }
        for number in 0..<20 { try await folder.store(account: "account-\(number)").save(.make(1)) }

        other.goOn()
        #expect(try await other.line() == "saved")
        try await patient.value
        #expect(try await folder.store().load()?.token?.name == "slow")
        try await impatient.save(.make(2))
        #expect(try await folder.store().load() == .make(2))
    }

    @Test(arguments: ["177", "277", "777"])
    func `a umask that removes the user's own rights does not block the folder`(umask: String) async throws {
        let folder = try TemporaryFolder()
        let process = try SecondProcess("save-with", umask, folder.tokens + "/deeper/still")
        #expect(try await process.line() == "saved")
        for path in ["", "/deeper", "/deeper/still"] {
            #expect(try TemporaryFolder.mode(of: folder.tokens + path) == 0o700)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.tokens + "/deeper/still") {
            #expect(try TemporaryFolder.mode(of: folder.tokens + "/deeper/still/" + name) == 0o600)
        }
    }

    @Test func `files have mode 0600 with any umask`() async throws {
        let folder = try TemporaryFolder()
        let other = try SecondProcess("save", folder.tokens)
        #expect(try await other.line() == "saved")
        #expect(try TemporaryFolder.mode(of: folder.tokens) == 0o700)
        #expect(folder.names.count == 3)
        for name in folder.names { #expect(try TemporaryFolder.mode(of: folder.file(name)) == 0o600, "\(name)") }
        #expect(try await folder.store().load()?.token?.name == "saved")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `another user gets a typed error`() async throws {
        let folder = try TemporaryFolder()
        try await folder.store().save(.make(1))
        for place in [folder.path, folder.tokens] { chmod(place, 0o755) }
        let other = try SecondProcess("save-as", "65534", folder.tokens)
        #expect([try await other.line(), try await other.line()] == ["load: not private", "save: not private"])
        chmod(folder.tokens, 0o700)
        let next = try SecondProcess("save-as", "65534", folder.tokens)
        #expect([try await next.line(), try await next.line()] == ["load: read-only", "save: read-only"])
        #expect(try await folder.store().load() == .make(1))
    }

    @Test func `a sign-in and a sign-out in another process are followed`() async throws {
        let folder = try TemporaryFolder()
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(forever: .failure(NotAuthorized(.noToken))), store: folder.store())
        var changes = auth.tokenChanges.makeAsyncIterator()
        await #expect(throws: NotAuthorized.self) { try await auth.validToken() }
        let other = try SecondProcess("sign-in", folder.tokens)
        #expect(try await other.line() == "signed in")
        #expect(await changes.next()?.isAuthorized == true)
        #expect(try await auth.validToken().name == "from-another-process")
        try other.endInput()
        #expect(try await other.line() == "signed out")
        #expect(await changes.next()?.isAuthorized == false)
    }
}
