// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The name of a record.
enum RecordName: Hashable, Sendable {
    /// A key that the user has chosen.
    case key(String)
    /// A client and an account, which the key hides.
    case owner(client: String, account: String)

    func key(_ naming: RecordNaming?) -> String? {
        switch self {
        case .key(let key): key
        case .owner(let client, let account): naming?(client, account)
        }
    }
}

/// Turns clients and accounts into keys of records.
typealias RecordNaming = @Sendable (_ client: String, _ account: String) -> String

/// Makes and opens the ``RecordNaming`` of a place.
protocol RecordNamings: Sendable {
    func make() async throws -> LeasedPlace
    /// - Returns: the naming, and the place sealed anew if its key is no longer the current one.
    func open(_ place: LeasedPlace) async throws -> (RecordNaming, renewed: LeasedPlace?)
}

/// The records of one database, as all stores of this process use them.
final class RecordSpace: Sendable {
    let calls: RecordCalls
    /// The duration of a lease without renewal.
    let lease: Duration
    let requestDeadline: Duration
    let news: RecordNews?
    private let namings: (any RecordNamings)?
    private let opened = Lock<(place: UUID, naming: RecordNaming)?>(nil)

    var clock: any AuthorizationClock { calls.clock }
    var budget: RecordCalls.Budget { calls.budget }

    /// - Throws: `TokenStoreError` (`unsuitable`) if the lease is too short.
    init(
        _ database: any RecordDatabase, namings: (any RecordNamings)? = nil, lease: Duration,
        requestDeadline: Duration, callLimit: Duration, listens: Bool = true, clock: any AuthorizationClock
    ) throws {
        let (lease, requestDeadline) = (lease.saturated, requestDeadline.saturated)
        guard requestDeadline > .zero, lease >= requestDeadline + .seconds(2) else {
            throw TokenStoreError(
                .unsuitable,
                "a lease of \(lease) is too short for token requests of \(requestDeadline); "
                    + "make it at least 2 s longer than these")
        }
        calls = RecordCalls(database: database, clock: clock, limit: callLimit.saturated)
        (self.namings, self.lease, self.requestDeadline) = (namings, lease, requestDeadline)
        news = listens ? RecordNews(database, clock: clock) : nil
    }

    /// The key of a record. That of an owner is known once the place was opened.
    func key(of name: RecordName, _ budget: RecordCalls.Budget) async throws -> String {
        while true {
            if let key = knownKey(of: name) { return key }
            _ = try await open(budget)
        }
    }

    func knownKey(of name: RecordName) -> String? { name.key(opened.withLock { $0?.naming }) }

    /// Reads the identity of the database, and makes it if there is none. It is never older than the call.
    func open(_ budget: RecordCalls.Budget) async throws -> UUID {
        while true {
            let place: LeasedPlace
            if let bytes = try await calls.read(LeasedPlace.key, budget)?.bytes {
                guard try await calls.confirm(bytes, at: LeasedPlace.key, budget) else { continue }
                place = try LeasedPlace(decoding: bytes)
            } else {
                place = try await namings?.make() ?? LeasedPlace(id: UUID(), sealedRowKey: nil)
                guard try await calls.replace(nil, by: place.encoded, at: LeasedPlace.key, budget) else { continue }
            }
            guard let namings else { return place.id }
            let (naming, renewed) = try await namings.open(place)
            if place.id != opened.exchange((place.id, naming))?.place { news?.rename(naming) }
            if let renewed {
                // Another host may have done the same.
                _ = try await calls.replace(place.encoded, by: renewed.encoded, at: LeasedPlace.key, budget)
            }
            return place.id
        }
    }
}
