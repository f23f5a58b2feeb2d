// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import SpotifyWeb

@Suite struct SessionStoreTests {
    private let clock = ManualClock()

    private func makeStore(_ change: (inout SessionLimits) -> Void = { _ in }) -> SessionStore<String, String> {
        var limits = SessionLimits()
        change(&limits)
        return SessionStore(limits: limits, clock: clock)
    }

    @Test func `a log-in is found by the browser that began it, once`() async {
        let store = makeStore()
        let mine = await store.add("mine", of: nil)
        let other = await store.add("other", of: nil)
        #expect(await store.take(of: other) { $0 == "mine" } == nil)
        #expect(await store.take(of: nil) { $0 == "mine" } == nil)
        #expect(await store.take(of: mine) { $0 == "mine" } == "mine")
        #expect(await store.take(of: mine) { $0 == "mine" } == nil)
    }

    @Test func `tabs of one browser can log in at the same time, and a fifth one replaces the first`() async {
        let store = makeStore()
        let id = await store.add("1", of: nil)
        for tab in ["2", "3", "4", "5"] { #expect(await store.add(tab, of: id) == id) }
        #expect(await store.take(of: id) { $0 == "1" } == nil)
        for tab in ["2", "5"] { #expect(await store.take(of: id) { $0 == tab } == tab) }
    }

    @Test func `an id that the server did not issue is refused`() async {
        let store = makeStore()
        var generator = SystemRandomNumberGenerator()
        let planted = SessionSecret(using: &generator)
        #expect(await store.add("x", of: planted) != planted)
        #expect(await store.session(of: planted) == nil)
    }

    @Test func `a log-in brings a new id, and the old one is worthless`() async throws {
        let store = makeStore()
        let before = await store.add("x", of: nil)
        let session = await store.begin("me", insteadOf: before)
        #expect(session.id != before)
        #expect(session.formToken != session.id)
        #expect(await store.session(of: before) == nil)
        #expect(await store.take(of: before) { _ in true } == nil)
        #expect(await store.session(of: session.id)?.account == "me")
        let again = await store.begin("me", insteadOf: session.id)
        #expect(await store.session(of: session.id) == nil)
        let kept = try #require(await store.session(of: again.id))
        #expect(kept.account == "me" && kept.formToken != session.formToken)
    }

    @Test func `a visitor expires ten minutes after the latest log-in`() async {
        let store = makeStore()
        let id = await store.add("x", of: nil)
        for tab in ["y", "z"] {
            clock.advance(by: .seconds(599))
            #expect(await store.add(tab, of: id) == id)
        }
        clock.advance(by: .seconds(599))
        #expect(await store.take(of: id) { $0 == "y" } == "y")
        clock.advance(by: .seconds(1))
        #expect(await store.take(of: id) { $0 == "z" } == nil)
        #expect(await store.add("z", of: id) != id)
    }

    @Test func `a session ends when it is idle, and at its maximum age`() async {
        let store = makeStore {
            $0.idle = .seconds(100)
            $0.age = .seconds(250)
        }
        let used = await store.begin("used", insteadOf: nil).id
        let unused = await store.begin("unused", insteadOf: nil).id
        clock.advance(by: .seconds(99))
        #expect(await store.session(of: used) != nil)
        clock.advance(by: .seconds(1))
        #expect(await store.session(of: unused) == nil)
        clock.advance(by: .seconds(98))
        #expect(await store.session(of: used) != nil)
        clock.advance(by: .seconds(52))
        #expect(await store.session(of: used) == nil)
    }

    @Test func `absurd limits are for ever, and end no program`() async {
        let store = makeStore {
            ($0.visitorAge, $0.idle, $0.age) = (.seconds(Int64.max), .seconds(Int64.max), .seconds(Int64.max))
        }
        let visitor = await store.add("x", of: nil)
        let session = await store.begin("me", insteadOf: nil).id
        clock.advance(by: .seconds(100 * 365 * 86_400))
        #expect(await store.session(of: session) != nil)
        #expect(await store.isVisitor(visitor))
    }

    @Test func `the oldest visitor and the session unused for the longest time are replaced`() async {
        let store = makeStore {
            $0.visitors = 2
            $0.sessions = 2
        }
        var visitors: [SessionSecret] = []
        var sessions: [SessionSecret] = []
        for number in 0..<3 {
            visitors.append(await store.add("\(number)", of: nil))
            clock.advance(by: .seconds(1))
        }
        for number in 0..<2 {
            sessions.append(await store.begin("\(number)", insteadOf: nil).id)
            clock.advance(by: .seconds(1))
        }
        #expect(await store.session(of: sessions[0]) != nil)
        clock.advance(by: .seconds(1))
        sessions.append(await store.begin("2", insteadOf: nil).id)
        #expect(await store.counts == (2, 2))
        #expect(await store.take(of: visitors[0]) { _ in true } == nil)
        #expect(await store.take(of: visitors[1]) { _ in true } == "1")
        #expect(await store.session(of: sessions[1]) == nil)
        #expect(await store.session(of: sessions[0]) != nil)
    }

    @Test func `expired entries are not kept in memory`() async {
        let store = makeStore()
        for number in 0..<10 {
            _ = await store.add("\(number)", of: nil)
            _ = await store.begin("\(number)", insteadOf: nil)
        }
        let last = await store.begin("last", insteadOf: nil).id
        clock.advance(by: .seconds(3600))
        #expect(await store.session(of: last) == nil)
        #expect(await store.counts == (0, 0))
    }

    @Test func `a session that was ended is gone`() async {
        let store = makeStore()
        let id = await store.begin("me", insteadOf: nil).id
        await store.end(id)
        await store.end(nil)
        #expect(await store.session(of: id) == nil)
    }
}
