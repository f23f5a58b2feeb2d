// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The order of requests to servers that accept only the nonce of their last answer.
///
/// Such a server serves one request at a time: each answer makes the nonces of all other requests useless. So these
/// take turns. Servers that accept a nonce for some time never get here.
struct ProofTurns {
    /// A refused nonce that is younger shows that the server accepts only its last one. Others may have grown old.
    static let youth = Duration.seconds(5)
    /// How long requests take turns after the server has shown that.
    static let strictness = Duration.seconds(60)
    /// How long a request waits for the answer to another one. Nobody says so if a request has failed.
    static let patience = Duration.seconds(10)
    /// The highest number of servers whose requests take turns.
    static let limit = 64

    private struct Line {
        var strictUntil: Duration
        var lastAnswer = Duration.zero
        /// Whether a request has its turn, and its proof is not made yet.
        var isTaken = false
        var waiting: [(place: Int, nap: Task<Void, Never>)] = []
    }

    private var lines: [ProofNonces.Server: Line] = [:]
    private var places = 0

    /// Gives a request its turn, if it need not wait.
    ///
    /// - Parameter place: its place in the line, if it has waited before.
    /// - Returns: when to ask again at the latest; `nil` if it is its turn.
    mutating func take(
        _ server: ProofNonces.Server, place: Int?, among sent: inout SentProofs, at uptime: Duration
    ) -> Duration? {
        guard let line = lines[server] else { return nil }
        guard line.strictUntil > uptime else {
            relax(server)
            return nil
        }
        let loss = sent.firstLoss(at: server, patience: Self.patience, lastAnswer: line.lastAnswer, uptime: uptime)
        let isNext = line.waiting.first.map { $0.place == place } ?? true
        guard isNext, !line.isTaken, loss == nil else {
            return min(loss ?? uptime + Self.patience, line.strictUntil)
        }
        lines[server]?.isTaken = true
        leave(server, place)
        return nil
    }

    /// Adds a request to the line, or renews its nap, and returns its place.
    mutating func wait(for server: ProofNonces.Server, place: Int?, nap: Task<Void, Never>) -> Int {
        if let place, let index = lines[server]?.waiting.firstIndex(where: { $0.place == place }) {
            lines[server]?.waiting[index].nap = nap
            return place
        }
        places += 1
        lines[server]?.waiting.append((places, nap))
        return places
    }

    mutating func leave(_ server: ProofNonces.Server, _ place: Int?) {
        lines[server]?.waiting.removeAll { $0.place == place }
    }

    /// Ends the turn of a request whose proof is made, or cannot be made.
    mutating func made(_ server: ProofNonces.Server) {
        guard !lines.isEmpty else { return }
        lines[server]?.isTaken = false
    }

    /// Wakes the next request after an answer.
    mutating func proceed(_ server: ProofNonces.Server, at uptime: Duration) {
        lines[server]?.lastAnswer = uptime
        wakeNext(server)
    }

    func wakeNext(_ server: ProofNonces.Server) { lines[server]?.waiting.first?.nap.cancel() }

    /// Lets requests take turns from now on.
    mutating func begin(_ server: ProofNonces.Server, at uptime: Duration) {
        if lines[server] == nil, lines.count >= Self.limit, let other = lines.keys.first { relax(other) }
        lines[server, default: Line(strictUntil: .zero)].strictUntil = uptime + Self.strictness
    }

    /// Lets all requests go.
    mutating func relax(_ server: ProofNonces.Server) {
        for waiter in lines.removeValue(forKey: server)?.waiting ?? [] { waiter.nap.cancel() }
    }
}
