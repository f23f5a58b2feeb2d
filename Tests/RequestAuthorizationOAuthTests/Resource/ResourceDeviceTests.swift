// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationOAuth

/// Sign-ins at a resource on another device.
@Suite struct ResourceDeviceTests {
    @Test func `shows a code, with a client that is registered for it, and uses the token`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let person = Person(guarded.clock)
            let notes = person.notes(server, guarded)
            #expect(try await notes.get(server) == "200 ok")
            #expect(person.codes == ["AB-12"])
            let now = guarded.now
            #expect(now.pages.isEmpty)
            let client = try #require(now.registrations.first)
            #expect(client["redirect_uris"] == nil && client["response_types"] == .array([]))
            #expect(
                client["grant_types"]
                    == .array([.string("urn:ietf:params:oauth:grant-type:device_code"), .string("refresh_token")]))
            let form = try #require(now.forms.first?.form)
            #expect(form["device_code"] == "d" && form["client_id"] == "client-1")

            // A refresh needs no person.
            guarded.change { $0.refused = ["t1"] }
            #expect(try await notes.get(server) == "200 ok")
            #expect(person.codes.count == 1)
            #expect(guarded.now.forms.last?.form["grant_type"] == "refresh_token")
        }
    }

    @Test func `is registered once, and beside the client of a page`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let records = InMemoryResourceRecords()
            let person = Person(guarded.clock)
            for _ in 0..<2 { try await person.notes(server, guarded, records: records).signIn(scopes: []) }
            #expect(guarded.now.registrations.count == 1)
            try await ProtectedResourceAuthorization.make(server, guarded, records: records).signIn(scopes: [])
            #expect(guarded.now.registrations.count == 2)
            #expect(guarded.now.pages.map { $0["client_id"] } == ["client-2"])
        }
    }

    @Test func `a server that knows no other devices is told as an error, without a registration`() async throws {
        try await GuardedServer.run { (guarded, server) async throws in
            let person = Person(guarded.clock)
            let error = await #expect(throws: AuthorizationServerError.self) {
                try await person.notes(server, guarded).signIn(scopes: [])
            }
            #expect("\(error as Any)".contains("device_authorization_endpoint"))
            #expect(guarded.now.registrations.isEmpty && person.codes.isEmpty)
        }
    }

    @Test func `shows no code to a person who does not want to sign in`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let person = Person(guarded.clock, agrees: false)
            await #expect(throws: NotAuthorized.self) { try await person.notes(server, guarded).signIn(scopes: []) }
            #expect(guarded.now.registrations.isEmpty && person.codes.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a code that is still shown after a sign-out keeps no sign-in waiting`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let (shows, shown) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let person = Person(guarded.clock)
            let notes = person.notes(server, guarded) {
                guard person.codes.count == 1 else { return }
                shown.finish()
                // It pays no attention to cancellation.
                await Task.detached { for await _ in ends {} }.value
            }
            let first = Task { try await notes.signIn() }
            for await _ in shows {}
            await notes.reset()
            await #expect(throws: NotAuthorized.self) { try await first.value }
            try await notes.signIn()
            end.finish()
            #expect(try await notes.get(server) == "200 ok")
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a code whose program never ends holds up no sign-in`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let person = Person(guarded.clock)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let notes = person.notes(server, guarded) {
                person.entersCode()
                for await _ in ends {}
            }
            #expect(try await notes.get(server) == "200 ok")
            #expect(person.codes == ["AB-12"])
            end.finish()
        }
    }

    @Test func `a code that cannot be shown ends the sign-in`() async throws {
        try await GuardedServer.run(GuardedServer.addDevice) { (guarded, server) async throws in
            let notes = ProtectedResourceAuthorization(
                "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), transport: .patient, clock: guarded.clock,
                signIn: .onAnotherDevice { _ in
                    throw NoDisplay()
                } ask: { _ in
                    true
                })
            await #expect(throws: NoDisplay.self) { try await notes.signIn() }
            #expect(guarded.now.forms.isEmpty)
        }
    }

    @Test(arguments: [("invalid_client", 2), ("expired_token", 1)])
    func `a client that the server has forgotten is registered anew`(code: String, registrations: Int) async throws {
        try await GuardedServer.run {
            GuardedServer.addDevice(&$0)
            $0.answers["/as/token"] = { _ in .json(#"{"error":"\#(code)"}"#, status: 400) }
        } body: { (guarded, server) async throws in
            let records = InMemoryResourceRecords()
            let person = Person(guarded.clock)
            await #expect(throws: (any Error).self) {
                try await person.notes(server, guarded, records: records).signIn(scopes: [])
            }
            guarded.change { $0.answers["/as/token"] = nil }
            try await person.notes(server, guarded, records: records).signIn(scopes: [])
            #expect(guarded.now.registrations.count == registrations)
        }
    }
}

extension GuardedServer {
    /// Lets people sign in on another device.
    fileprivate static func addDevice(_ state: inout State) {
        state.serverMembers += #","device_authorization_endpoint":"BASE/as/device""#
        state.answers["/as/device"] = { _ in
            .json(
                """
                {"device_code":"d","user_code":"AB-12","verification_uri":"http://127.0.0.1/enter","expires_in":600,\
                "interval":1}
                """)
        }
    }
}

private struct NoDisplay: Error {}

/// Somebody who enters each code within a second.
private final class Person: Sendable {
    private let shown = Lock<[String]>([])
    private let clock: ManualClock
    private let agrees: Bool

    init(_ clock: ManualClock, agrees: Bool = true) { (self.clock, self.agrees) = (clock, agrees) }

    var codes: [String] { shown.withLock { $0 } }

    func entersCode() {
        Task {
            await clock.sleeper(for: .seconds(1))
            clock.advance(by: .seconds(1))
        }
    }

    func notes(
        _ server: RawServer, _ guarded: GuardedServer, records: any ResourceRecords = .inMemory,
        reads: @escaping @Sendable () async -> Void = {}
    ) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            "\(server.base)/mcp", client: ClientIdentity(name: "Tool"), records: records,
            policy: .init(backOff: .init(patience: .zero)), transport: .patient, clock: guarded.clock,
            signIn: .onAnotherDevice { device in
                self.shown.withLock { $0.append(device.userCode) }
                await reads()
                if Task.isCancelled { return }
                self.entersCode()
            } ask: { [agrees] _ in
                agrees
            })
    }
}
#endif
