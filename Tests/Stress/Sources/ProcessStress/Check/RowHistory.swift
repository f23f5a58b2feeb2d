// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The tokens that a row of the database has held, in order.
struct RowHistory: Sendable {
    let count: Int
    /// Saves of an older token over a newer one.
    let staleSaves: [LogLine]
    /// The time at which each token was saved; only if the clock page has not been moved.
    private let times: [Place: Double]

    /// - Parameter lines: the whole log.
    init(_ lines: [LogLine]) {
        var times: [Place: Double] = [:]
        var stale: [LogLine] = []
        var last: (session: UUID, generation: Int)?
        var past: Set<UUID> = []
        var count = 0
        for line in lines where line.event == .saved {
            guard let session = line.session, let generation = line.place?.generation else { continue }
            count += 1
            let isStale = last.map { $0.session == session && $0.generation >= generation } ?? false
            if isStale || past.contains(session) { stale.append(line) }
            if let last, last.session != session { past.insert(last.session) }
            last = (session, generation)
            guard let time = line.savedAt else { continue }
            // A session belongs to the last sign-in before it was first saved.
            if let family = Self.family(of: session, in: lines) {
                let place = Place(family: family, generation: generation)
                times[place] = min(times[place] ?? time, time)
            }
        }
        (self.times, self.count, staleSaves) = (times, count, stale)
    }

    /// Whether the token at a place, or a newer token of its session, had been saved by that time.
    func holds(_ place: Place, before time: Double) -> Bool {
        times.contains { $0.key.family == place.family && $0.key >= place && $0.value <= time }
    }

    private static func family(of session: UUID, in lines: [LogLine]) -> Int? {
        guard let first = lines.first(where: { $0.event == .saved && $0.session == session })?.savedAt else {
            return nil
        }
        return lines.last { $0.event == .signedIn && $0.time <= first }?.place?.family
    }
}
