// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a pool may let go of.
protocol Dispensable: AnyObject, Sendable {
    /// Whether one that is made anew goes on where this one is: nothing is under way, and nothing is lost.
    func isDispensable(at now: Moment) -> Bool
}

/// The providers of a pool, by identity: which are live, which are idle, and which were let go of.
///
/// A look-up costs O(1) on average, also one that evicts. Of a user's code the hash and `==` of an identity run here, nothing
/// else. No provider ends here: what was evicted is returned, to be let go of with nothing locked.
///
/// It is a class, and keeps its providers without their type, because generic code has to ask the runtime for the layout of a
/// generic value: a look-up would cost three times as much. It is reached under the lock of its pool alone.
final class PoolTable<ID: Hashable & Sendable, Provider: Dispensable> {
    /// What a look-up finds.
    enum Finding {
        case live(Provider)
        /// It has to be made.
        case making(Making<Provider>)
    }

    /// A provider that the table has let go of. Until that is done, others may come by it.
    struct Departure {
        let id: ID
        fileprivate(set) var provider: Provider?
        let making: Making<Provider>

        /// Lets go of it, with nothing locked.
        mutating func release() { making.release(&provider) }
    }

    /// One that was evicted. As long as it lives, because somebody got hold of it just then, it is the provider of its identity.
    private struct Former {
        weak var provider: Provider?
        /// Makes the next one.
        let making: Making<Provider>
        /// Whether the pool has let go of it.
        var isReleased = false
    }

    /// How many providers are kept. Those that are in use may exceed it.
    let limit: Int
    /// For how many whole turns an idle one is kept.
    let turns: Int

    private var places: [ID: Int] = [:]
    private var ids: [ID?] = [nil, nil]
    /// Those that are kept, by place.
    private var providers: [AnyObject?] = [nil, nil]
    private var order = PoolOrder()
    private var makings: [ID: Making<Provider>] = [:]
    private var formers: [ID: Former] = [:]
    /// At how many of them the former ones are looked over.
    private var formerLimit = 64

    init(limit: Int, turns: Int) { (self.limit, self.turns) = (limit, turns) }

    /// How many are kept.
    var count: Int { places.count }
    /// How many of those that were evicted are remembered.
    var formerCount: Int { formers.count }
    var isEmpty: Bool { places.isEmpty && formers.isEmpty }

    /// All that are alive, also those that were evicted.
    var live: [(id: ID, provider: Provider)] {
        let kept = places.compactMap { id, place in provider(at: place).map { (id: id, provider: $0) } }
        return kept + formers.compactMap { id, former in former.provider.map { (id: id, provider: $0) } }
    }

    // MARK: Looking up

    /// The provider of an identity if it is kept; it is used now.
    func use(_ id: ID) -> Provider? {
        guard let place = places[id] else { return nil }
        order.use(place)
        return provider(at: place)
    }

    /// The provider of an identity if it is alive, or else what makes it.
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
        let making = Making<Provider>()
        makings[id] = making
        return .making(making)
    }

    /// The provider has been made.
    func install(_ provider: Provider, for id: ID) {
        makings[id] = nil
        insert(provider, for: id)
    }

    // MARK: Letting go

    /// Evicts idle ones, the one unused for longest first, until no more than the limit are kept or the rest is in use.
    func evictOverLimit(at now: Moment) -> [Departure] {
        var departures: [Departure] = []
        while count > limit, let place = order.last(of: .idle) {
            if let departure = evict(place, at: now) { departures.append(departure) }
        }
        // Some of those that were in use may be idle by now. Two looks for each that is added are enough to get to all.
        var looks = 2
        while count > limit, looks > 0, let place = order.last(of: .held) {
            looks -= 1
            if let departure = evict(place, at: now) { departures.append(departure) }
        }
        return departures
    }

    /// A turn has passed: evicts what was idle for longer than it may be.
    func passTurn(at now: Moment) -> [Departure] {
        order.passTurn()
        var departures: [Departure] = []
        while let place = order.last(of: .idle), order.lastTurn(of: place) + turns < order.turn {
            if let departure = evict(place, at: now) { departures.append(departure) }
        }
        // The time of those that were in use begins when they are found idle.
        for place in order.places(of: .held) where isIdle(place, at: now) { order.use(place) }
        forgetFormers()
        return departures + evictOverLimit(at: now)
    }

    /// The pool has let go of one that was evicted.
    func released(_ id: ID, _ making: Making<Provider>) {
        guard let former = formers[id], former.making === making else { return }
        if former.provider == nil {
            formers[id] = nil
            return
        }
        formers[id]?.isReleased = true
        guard formers.count > formerLimit else { return }
        forgetFormers()
        formerLimit = max(64, 2 * formers.count)
    }

    // MARK: -

    private func insert(_ provider: Provider, for id: ID) {
        let place = order.add()
        places[id] = place
        if place < providers.count {
            (ids[place], providers[place]) = (id, provider)
        } else {
            ids.append(id)
            providers.append(provider)
        }
    }

    /// All that are kept were inserted by ``insert(_:for:)``.
    private func provider(at place: Int) -> Provider? {
        guard let provider = providers[place] else { return nil }
        return unsafeDowncast(provider, to: Provider.self)
    }

    /// Whether nobody else holds it, and it has nothing to lose.
    ///
    /// Only a weak reference can lead to it then, or the table, which is locked.
    private func isIdle(_ place: Int, at now: Moment) -> Bool {
        isKnownUniquelyReferenced(&providers[place]) && provider(at: place)?.isDispensable(at: now) == true
    }

    /// Evicts it, or notes that it is in use.
    private func evict(_ place: Int, at now: Moment) -> Departure? {
        guard isIdle(place, at: now), let id = ids[place], let provider = provider(at: place) else {
            order.hold(place)
            return nil
        }
        let departure = Departure(id: id, provider: provider, making: Making())
        formers[id] = Former(provider: provider, making: departure.making)
        places[id] = nil
        (ids[place], providers[place]) = (nil, nil)
        order.remove(place)
        return departure
    }

    private func forgetFormers() {
        formers = formers.filter { !$0.value.isReleased || $0.value.provider != nil }
    }
}
