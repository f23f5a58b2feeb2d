// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorization

/// Which providers are kept, and which are evicted.
@Suite struct PoolTableTests {
    final class Provider: Dispensable {
        private let isBusy = Lock(false)

        func isDispensable(at now: Moment) -> Bool { isBusy.withLock { !$0 } }
        func set(isBusy: Bool) { self.isBusy.withLock { $0 = isBusy } }
    }

    typealias Table = PoolTable<String, Provider>

    private let now = Moment(date: Date(timeIntervalSinceReferenceDate: 0), uptime: .zero)

    /// The names of the evicted providers, whose eviction is complete on return.
    private func release(_ departures: inout [Table.Departure], from table: Table) -> [String] {
        for index in departures.indices {
            departures[index].release()
            _ = table.released(departures[index].id, departures[index].making)
        }
        return departures.map(\.id)
    }

    private func evict(from table: Table) -> [String] {
        var departures = table.evictOverLimit(at: now)
        return release(&departures, from: table)
    }

    private func passTurn(of table: Table) -> [String] {
        var departures = table.passTurn(at: now)
        _ = table.forgetFormers()
        return release(&departures, from: table)
    }

    private func table(limit: Int, turns: Int = 4, _ names: String...) -> Table {
        let table = Table(limit: limit, turns: turns)
        for name in names { table.install(Provider(), for: name) }
        return table
    }

    @Test func `above the limit the providers that were unused for longest go`() {
        let table = table(limit: 2, "a", "b", "c", "d")
        _ = table.use("a")
        #expect(evict(from: table) == ["b", "c"])
        #expect(table.count == 2 && table.formerCount == 0)
        #expect(evict(from: table) == [])
    }

    @Test func `providers with a reference or with work stay, and may exceed the limit`() {
        let table = table(limit: 1, "held", "busy", "idle")
        let held = table.use("held")
        table.use("busy")?.set(isBusy: true)
        #expect(evict(from: table) == ["idle"])
        #expect(table.count == 2)
        withExtendedLifetime(held) {}
    }

    @Test func `providers that were in use go with the next addition after their release`() {
        let table = table(limit: 1, "a", "b", "c")
        var held = ["a", "b", "c"].compactMap { table.use($0) }
        #expect(evict(from: table) == [])
        held = []
        table.install(Provider(), for: "d")
        // Two checks for each addition.
        #expect(evict(from: table) == ["d", "c", "a"])
        withExtendedLifetime(held) {}
    }

    @Test func `a provider that is idle for so many turns goes`() {
        let table = table(limit: 9, turns: 2, "a", "b")
        #expect(passTurn(of: table) == [])
        _ = table.use("b")
        #expect(passTurn(of: table) == [])
        #expect(passTurn(of: table) == ["a"])
        #expect(passTurn(of: table) == ["b"])
        #expect(table.isEmpty)
    }

    @Test func `the idle time begins when a provider is found idle`() {
        let table = table(limit: 9, turns: 1, "a")
        var held = table.use("a")
        for _ in 0..<5 { #expect(passTurn(of: table) == []) }
        withExtendedLifetime(held) {}
        held = nil
        #expect(passTurn(of: table) == [])
        #expect(passTurn(of: table) == [])
        #expect(passTurn(of: table) == ["a"])
    }

    @Test func `a provider that is used again during its eviction is found`() throws {
        let table = table(limit: 0, "a")
        weak let found: Provider? = table.use("a")
        var departures = table.evictOverLimit(at: now)
        let revived = try #require(found)
        departures[0].release()
        _ = table.released("a", departures[0].making)
        #expect(table.count == 0 && table.formerCount == 1 && !table.isEmpty)
        #expect(table.live.map(\.id) == ["a"])
        guard case .live(let again) = table.look(up: "a") else {
            Issue.record("a second one would be made")
            return
        }
        #expect(again === revived)
        #expect(table.count == 1 && table.formerCount == 0)
    }

    @Test func `a provider that others release meanwhile is released outside the lock`() throws {
        let table = table(limit: 0, "a")
        weak let found: Provider? = table.use("a")
        var departures = table.evictOverLimit(at: now)
        var revived = found
        departures[0].release()
        var living = table.released("a", departures[0].making) + table.forgetFormers()
        withExtendedLifetime(revived) {}
        revived = nil
        #expect(found != nil && living.count == 2)  // The table's caller has the last reference.
        living = []
        #expect(found == nil)
        #expect(table.forgetFormers().isEmpty && table.isEmpty)
    }

    @Test func `a provider that is about to go is found`() throws {
        let table = table(limit: 0, "a")
        var departures = table.evictOverLimit(at: now)
        guard case .live(let again) = table.look(up: "a") else {
            Issue.record("a second one would be made")
            return
        }
        departures[0].release()
        _ = table.released("a", departures[0].making)
        #expect(table.use("a") === again)
    }

    @Test func `former providers are forgotten when they are gone`() {
        let table = Table(limit: 0, turns: 1)
        var revived: [Provider] = []
        for number in 0..<1000 {
            table.install(Provider(), for: "\(number)")
            weak let found: Provider? = table.use("\(number)")
            var departures = table.evictOverLimit(at: now)
            if let found { revived.append(found) }
            if number % 100 == 0 { revived = [] }
            _ = release(&departures, from: table)
        }
        #expect(table.formerCount <= 400)
        revived = []
        _ = passTurn(of: table)
        #expect(table.isEmpty)
    }

    @Test func `all callers that ask for a missing provider make the same one`() throws {
        let table = Table(limit: 9, turns: 1)
        guard case .making(let first) = table.look(up: "a"), case .making(let second) = table.look(up: "a") else {
            Issue.record("there is none yet")
            return
        }
        #expect(first === second)
        let made = try first.provider { Provider() }
        table.install(made, for: "a")
        #expect(try second.provider { Provider() } === made)
    }

    @Test func `free places are used again`() {
        var order = PoolOrder()
        let places = (0..<3).map { _ in order.add() }
        order.remove(places[1])
        #expect(order.add() == places[1])
        order.use(places[0])
        order.hold(places[2])
        #expect(order.places(of: .idle) == [places[0], places[1]])
        #expect(order.places(of: .held) == [places[2]])
        #expect(order.last(of: .idle) == places[1])
    }
}
