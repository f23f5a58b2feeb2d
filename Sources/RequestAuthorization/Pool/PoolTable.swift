// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An object that a pool may drop.
protocol Dispensable: AnyObject, Sendable {
    /// Whether a new object would start in the same state: nothing is under way, and nothing would be lost.
    func isDispensable(at now: Moment) -> Bool
}

/// The providers of a pool by identity: living, idle and evicted ones.
///
/// A look-up costs O(1) on average, evictions included. The only user code that runs here is the hash and `==` of an
/// identity. No provider is released here: evicted ones are returned, to be released outside the lock.
///
/// The search in `kept` is inlined into the caller, who knows the types: generic code would take twice as long. It is a
/// class, and used under the lock of its pool only.
@usableFromInline final class PoolTable<ID: Hashable & Sendable, Provider: AnyObject & Sendable> {
    enum Finding {
        case live(Provider)
        /// The provider must be created.
        case making(Making<Provider>)
    }

    /// An evicted provider. Until it is released, a look-up may still return it.
    struct Departure {
        let id: ID
        fileprivate(set) var provider: Provider?
        let making: Making<Provider>

        /// Releases the provider, outside the lock.
        mutating func release() { making.release(&provider) }
    }

    /// An evicted provider. While it is alive, because a caller still has it, it is the provider of its identity.
    private struct Former {
        weak var provider: Provider?
        let making: Making<Provider>
        /// Whether the pool has released it.
        var isReleased = false
    }

    /// How many providers are kept. Providers in use may exceed it.
    let limit: Int
    /// For how many whole turns an idle provider is kept.
    let turns: Int

    @usableFromInline struct Kept {
        @usableFromInline fileprivate(set) var provider: Provider
        @usableFromInline let place: Int
    }

    @usableFromInline private(set) var kept: [ID: Kept] = [:]
    var order = PoolOrder()
    /// By place.
    private var ids: [ID?] = []
    private var makings: [ID: Making<Provider>] = [:]
    private var formers: [ID: Former] = [:]
    /// The number of evicted providers at which dead ones are removed.
    private var formerLimit = 64

    init(limit: Int, turns: Int) { (self.limit, self.turns) = (limit, turns) }

    var count: Int { kept.count }
    /// The number of evicted providers that are remembered.
    var formerCount: Int { formers.count }
    var isEmpty: Bool { kept.isEmpty && formers.isEmpty }

    /// All living providers, including evicted ones.
    var live: [(id: ID, provider: Provider)] {
        kept.map { id, kept in (id: id, provider: kept.provider) }
            + formers.compactMap { id, former in former.provider.map { (id: id, provider: $0) } }
    }

    // MARK: Looking up

    /// Returns the kept provider of an identity, and marks it as used.
    func use(_ id: ID) -> Provider? {
        guard let kept = kept[id] else { return nil }
        order.use(kept.place)
        return kept.provider
    }

    /// Returns the living provider of an identity, or the object that creates it.
    func look(up id: ID) -> Finding {
        if let live = use(id) { return .live(live) }
        if let former = formers.removeValue(forKey: id) {
            if let provider = former.provider {
                insert(provider, for: id)
                return .live(provider)
            }
            makings[id] = former.making
        }
        if let making = makings[id] { return .making(making) }
        let making = Making<Provider> { "\(id)" }
        makings[id] = making
        return .making(making)
    }

    func install(_ provider: Provider, for id: ID) {
        makings[id] = nil
        insert(provider, for: id)
    }

    /// Notes that the pool has released an evicted provider.
    ///
    /// - Returns: living providers. The caller releases them outside the lock, since these may be the last references.
    func released(_ id: ID, _ making: Making<Provider>) -> [Provider] {
        guard let former = formers[id], former.making === making else { return [] }
        guard let provider = former.provider else {
            formers[id] = nil
            return []
        }
        formers[id]?.isReleased = true
        guard formers.count > formerLimit else { return [provider] }
        defer { formerLimit = max(64, 2 * formers.count) }
        return [provider] + forgetFormers()
    }

    /// Forgets evicted providers that are gone.
    ///
    /// - Returns: the others, which the caller releases outside the lock.
    func forgetFormers() -> [Provider] {
        var living: [Provider] = []
        formers = formers.filter { _, former in
            guard let provider = former.provider else { return !former.isReleased }
            living.append(provider)
            return true
        }
        return living
    }

    // MARK: -

    private func insert(_ provider: Provider, for id: ID) {
        let place = order.add()
        kept[id] = Kept(provider: provider, place: place)
        if place < ids.count { ids[place] = id } else { ids.append(id) }
    }
}

// MARK: - Evicting

extension PoolTable where Provider: Dispensable {
    /// Evicts idle providers, those unused for longest first, until the limit is kept or all others are in use.
    func evictOverLimit(at now: Moment) -> [Departure] {
        var departures: [Departure] = []
        while count > limit, let place = order.last(of: .idle) { evict(place, at: now, into: &departures) }
        // Providers that were in use may be idle by now. Two checks for each addition are enough to reach all of them.
        var looks = 2
        while count > limit, looks > 0, let place = order.last(of: .held) {
            looks -= 1
            evict(place, at: now, into: &departures)
        }
        return departures
    }

    /// Ends a turn, and evicts providers that were idle for too long.
    func passTurn(at now: Moment) -> [Departure] {
        order.passTurn(remembering: turns)
        var departures: [Departure] = []
        while let place = order.last(of: .idle), order.isOld(place, turns: turns) {
            evict(place, at: now, into: &departures)
        }
        // The idle time of a provider that was in use begins when it is found idle.
        for place in order.places(of: .held) where isIdle(place, at: now) { order.use(place) }
        return departures + evictOverLimit(at: now)
    }

    /// Whether only the table has a reference to the provider, and dropping it loses nothing.
    ///
    /// Another reference can then only come from a weak one, or from the table, which is locked.
    private func isIdle(_ place: Int, at now: Moment) -> Bool {
        guard let id = ids[place], let index = kept.index(forKey: id) else { return false }
        return isKnownUniquelyReferenced(&kept.values[index].provider)
            && kept.values[index].provider.isDispensable(at: now)
    }

    /// Evicts a provider, or marks it as in use.
    private func evict(_ place: Int, at now: Moment, into departures: inout [Departure]) {
        guard isIdle(place, at: now), let id = ids[place], let provider = kept.removeValue(forKey: id)?.provider else {
            return order.hold(place)
        }
        let departure = Departure(id: id, provider: provider, making: Making { "\(id)" })
        formers[id] = Former(provider: provider, making: departure.making)
        ids[place] = nil
        order.remove(place)
        departures.append(departure)
    }
}
