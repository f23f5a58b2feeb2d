// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The clock of a server, as the `Date` of an answer shows it.
struct ServerClock: Hashable, Sendable {
    /// The `Date` of the answer. It has whole seconds, so the server's clock showed up to a second more.
    let date: Date
    /// When the answer arrived, since a fixed moment: this machine's clock may be set meanwhile.
    let readAt: Duration

    /// The time by this clock: `Date` and the time since the answer arrived. It is never later than the server's time.
    func time(at uptime: Duration) -> Date { date.addingTimeInterval((uptime - readAt) / .seconds(1)) }
}

/// A clock for one more try, after a server refused a proof: the server's, or this machine's.
struct ProofCorrection: Hashable, Sendable {
    /// `nil` for this machine's clock.
    let clock: ServerClock?
}

extension ProofNonces.State {
    /// The clock by which proofs for a server are dated; `nil` for this machine's.
    func clock(of server: ProofNonces.Server) -> ServerClock? { clocks[server] ?? usualClock }

    /// Compares the clocks after a server called a proof invalid.
    ///
    /// The server's clock is known to differ if its `Date` is not of the time in which the request was under way. It is
    /// remembered then, for all proofs. A difference that `Date` does not show counts for one try only.
    ///
    /// - Returns: the clock for one more try; `nil` if the refused proof was such a try, or if there is no `Date`.
    mutating func correct(
        _ refused: ProofClaims, of server: ProofNonces.Server, by response: some AuthorizableResponse, at now: Date,
        _ uptime: Duration
    ) -> ProofCorrection? {
        guard !refused.isCorrected else {
            // The clock was not the fault, or a proxy wrote a wrong `Date`: do not date other proofs by it.
            if refused.clock != nil, clock(of: server) == refused.clock { remember(nil, of: server) }
            return nil
        }
        guard let reading = ServerClock(response, at: now, uptime) else { return nil }
        if reading.isOfTime(from: refused.madeAt, to: now) {
            // The server's clock has been set since, perhaps.
            if refused.clock != nil { remember(nil, of: server) }
        } else if let known = refused.clock, reading.isOfTime(from: refused.date, to: known.time(at: uptime)) {
            // The proof was dated as `Date` wants it, and refused.
            remember(nil, of: server)
            return ProofCorrection(clock: nil)
        } else {
            remember(reading, of: server)
        }
        return ProofCorrection(clock: reading)
    }

    mutating func remember(_ clock: ServerClock?, of server: ProofNonces.Server) {
        if clocks[server] == nil, clocks.count >= ProofNonces.limit { _ = clocks.popFirst() }
        clocks.updateValue(clock, forKey: server)
        if case .authorization = server { usualClock = clock }
    }
}

extension ServerClock {
    /// - Returns: `nil` if the answer has no valid `Date`.
    init?(_ response: some AuthorizableResponse, at now: Date, _ uptime: Duration) {
        let dates = response.headerValues(for: "Date").lazy.compactMap { HTTPDate.parse($0, at: now) }
        guard let date = dates.first else { return nil }
        self.init(date: date, readAt: uptime)
    }

    /// Whether a server whose clock agrees may have sent this `Date` in that time. `Date` omits the fraction of a second.
    fileprivate func isOfTime(from start: Date, to end: Date) -> Bool {
        start.addingTimeInterval(-1) <= date && date <= end
    }
}
