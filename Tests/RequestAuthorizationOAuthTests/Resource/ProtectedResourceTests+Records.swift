// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Records that are full, cannot be read, are read slowly, or are locked.
extension ProtectedResourceTests {
    @Test func `a refusal counts while the records cannot be read, and a sign-in that cannot begin does not`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (records, asked) = (FillingRecords(), Asked())
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            #expect(try await notes.get(server) == "200 ok")
            records.isUnreadable.withLock { $0 = true }
            await #expect(throws: TokenStoreError.self) { _ = try await notes.get(server, "PUT") }
            records.isUnreadable.withLock { $0 = false }
            asked.answers.withLock { $0 = false }
            #expect(try await notes.get(server, "PUT").hasPrefix("403"))
            #expect(asked.reasons == ["first sign-in", "further scopes"])
            records.isUnreadable.withLock { $0 = true }
            #expect(try await notes.get(server, "PUT").hasPrefix("403"))
            #expect(asked.reasons.count == 2 && guarded.now.pages.count == 1)
        }
    }

    @Test func `a request that finds the token of a sibling's sign-in at the first load belongs to that`() async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let (records, asked) = (SlowlyReadRecords(name: "client-1"), Asked())
            let sibling = ProtectedResourceAuthorization.make(server, guarded, records: records.base)
            try await sibling.signIn()
            let notes = ProtectedResourceAuthorization.make(server, guarded, asked: asked, records: records)
            let request = Task { try await notes.get(server, "PUT") }
            for await _ in records.store.begins.stream {}
            try await sibling.signIn()
            records.store.goesOn.continuation.finish()
            #expect(try await request.value == "200 ok")
            #expect(guarded.now.calls == ["t2", "t3"] && asked.reasons == ["further scopes"])
        }
    }

    @Test func `a sibling's sign-in is taken over, and kept, by a process that could not save an earlier one`()
        async throws
    {
        try await GuardedServer.run {
            $0.required = ["PUT": ["write"]]
        } body: { (guarded, server) async throws in
            let records = FillingRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let receiver = PageOpener(redirectURI: "http://127.0.0.1:2/callback")
            let second = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver, records: records)
            try await notes.signIn()
            records.isFull.withLock { $0 = true }
            try await notes.signIn()
            records.isFull.withLock { $0 = false }
            try await second.signIn(scopes: ["write"])
            let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server, "PUT") }
            #expect(error?.reason == .sessionReplaced)
            #expect(try await notes.get(server, "PUT") == "200 ok")
            #expect(guarded.now.calls.last == "t3" && guarded.now.pages.count == 3)
            try await notes.settle(within: .seconds(60))
            #expect(try await second.storedSession()?.clientID == "client-2")
            #expect(try await second.storedSession()?.scopes == ["write"])
        }
    }

    @Test func `after a reset no request uses the session before a sign-in that could not be saved`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = FillingRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            records.isFull.withLock { $0 = true }
            try await notes.signIn()
            await notes.reset()
            let error = await #expect(throws: NotAuthorized.self) { _ = try await notes.get(server) }
            #expect(error?.reason == .signedOut && guarded.now.calls.isEmpty)
        }
    }

    @Test func `a sign-in that is saved slowly does not replace a later one in the records`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = SlowlySavedRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            async let settled: Void = notes.settle(within: .seconds(60))
            for await _ in records.second.begins.stream {}
            guarded.change { $0.issuers = ["BASE/as2"] }
            try await notes.signIn()
            records.second.goesOn.continuation.finish()
            try await settled
            let later = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await later.validToken().accessToken == "t2")
        }
    }

    @Test func `a sign-in replaces an older one that a sibling could save only meanwhile`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let (shown, show) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let records = SlowlySavedRecords()
            records.second.goesOn.continuation.finish()
            let receiver = PageOpener(redirectURI: "http://127.0.0.1:2/callback")
            let sibling = ProtectedResourceAuthorization.make(server, guarded, receiver: receiver, records: records)
            try await sibling.signIn()
            let notes = ProtectedResourceAuthorization.make(
                server, guarded, tells: show, waitsFor: answers, records: records)
            let signIn = Task { try await notes.signIn() }
            for await _ in shown {}
            try await sibling.settle(within: .seconds(60))
            answer.finish()
            try await signIn.value
            let later = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await later.validToken().accessToken == "t2")
        }
    }

    @Test func `who starts while a sign-in at another server is saved finds the former session`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let found = Lock<[String]>([])
            let records = WatchedRecords { base, name in
                guard name.hasPrefix("resource "), guarded.now.issuers == ["BASE/as2"] else { return }
                let later = ProtectedResourceAuthorization.make(server, guarded, records: base)
                let token = (try? await later.validToken().accessToken) ?? "none"
                found.withLock { $0.append(token) }
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            guarded.change { $0.issuers = ["BASE/as2"] }
            try await notes.signIn()
            #expect(found.withLock { $0 } == ["t1"])
            #expect(try await notes.validToken().accessToken == "t2")
            #expect(
                try await records.tokens(named: "\(server.base)/mcp \(server.base)/as client-1").load()?.token == nil)
        }
    }

    @Test(arguments: [
        ("resource ", "saved"), ("resource ", "reset"), ("resource ", "signed out"), ("resource ", "ended"),
        ("token", "saved"),
    ])
    func `a former session stays until the next one is saved, or that is signed out`(full: String, end: String)
        async throws
    {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = FillingRecords { $0.hasPrefix(full) }
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            guarded.change { $0.issuers = ["BASE/as2"] }
            records.isFull.withLock { $0 = true }
            try await notes.signIn()
            #expect(try await notes.validToken().accessToken == "t2")
            let later = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await later.validToken().accessToken == "t1")
            switch end {
            case "reset": await notes.reset()
            case "signed out": try await notes.signOut()
            case "ended":
                guarded.change { state in
                    state.answers["/as2/token"] = { _ in .json(#"{"error":"invalid_grant"}"#, status: 400) }
                }
                guarded.clock.advance(by: .seconds(4000))
                await #expect(throws: NotAuthorized.self) { _ = try await notes.validToken() }
                records.isFull.withLock { $0 = false }
                try await notes.settle(within: .seconds(60))
                #expect(try await notes.storedSession() == nil)
            default:
                records.isFull.withLock { $0 = false }
                guarded.clock.advance(by: .seconds(5))
                try await notes.settle(within: .seconds(60))
                #expect(try await notes.storedSession()?.issuer == "\(server.base)/as2")
            }
            #expect(
                try await records.tokens(named: "\(server.base)/mcp \(server.base)/as client-1").load()?.token == nil)
        }
    }

    @Test func `settle waits until the former session is removed`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = SlowlyClearedRecords()
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            try await notes.signIn()
            guarded.change { $0.issuers = ["BASE/as2"] }
            let signIn = Task { try await notes.signIn() }
            for await _ in records.clear.begins.stream {}
            try await notes.settle(within: .seconds(60))
            let former = records.base.tokens(named: "\(server.base)/mcp \(server.base)/as client-1")
            #expect(try await former.load()?.token == nil)
            records.clear.goesOn.continuation.finish()
            try await signIn.value
        }
    }

    @Test func `a sibling's sign-in that is read slowly does not replace a later one of this program`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = SlowlyReadRecords(name: "client-2")
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            #expect(try await notes.get(server) == "200 ok")
            let receiver = PageOpener(redirectURI: "http://127.0.0.1:2/callback")
            let sibling = ProtectedResourceAuthorization.make(
                server, guarded, receiver: receiver, records: records.base)
            try await sibling.signIn()
            await notes.reset()
            let request = Task { try await notes.get(server) }
            for await _ in records.store.begins.stream {}
            try await notes.signIn()
            records.store.goesOn.continuation.finish()
            #expect(try await request.value == "200 ok")
            #expect(try await notes.validToken().accessToken == "t3")
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-1", "client-2", "client-1"])
        }
    }

    @Test func `after ten minutes who waits is told who asks, and since when`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let limits = Lock<[Duration]>([])
            let records = LockedRecords { _, limit in
                limits.withLock { $0.append(limit) }
                throw TokenStoreError(.timedOut, "held")
            }
            try await records.save(
                value: ResourceAsker(process: 4711, since: guarded.clock.now), named: "sign-in \(server.base)/mcp")
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let error = await #expect(throws: NotAuthorized.self) { try await notes.signIn() }
            #expect(error?.reason == .needsInteraction && "\(error as Any)".contains("process 4711"))
            #expect(limits.withLock { $0 } == [.seconds(600)])
        }
    }

    @Test func `a registration that waits in vain is not taken for another process that asks`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let records = LockedRecords { name, _ in
                if name.hasPrefix("registration") { throw TokenStoreError(.timedOut, "held") }
            }
            let notes = ProtectedResourceAuthorization.make(server, guarded, records: records)
            let error = await #expect(throws: TokenStoreError.self) { try await notes.signIn() }
            #expect(error?.kind == .timedOut)
        }
    }
}
#endif
