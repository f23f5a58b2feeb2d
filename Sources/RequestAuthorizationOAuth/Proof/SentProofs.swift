// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The proofs that were sent lately. They tell which nonce and which time a server has refused.
struct SentProofs {
    struct Entry {
        let claims: ProofClaims
        let server: ProofNonces.Server
        /// Whether an answer may still come.
        var isAwaited = true
        /// Why the proof was refused, if it was.
        var refusal: ProofOutcome?
    }

    /// Of the last proofs at least this number is kept, and at most twice as many.
    static let limit = 512

    private var recent: [Key: Entry] = [:]
    private var former: [Key: Entry] = [:]

    /// The end of the signature, which differs for each proof (RFC 7515 §7.1). A whole text would cost more than all else.
    private struct Key: Hashable {
        private var first: UInt64 = 0
        private var second: UInt64 = 0

        init(_ proof: String) {
            for byte in proof.utf8.suffix(16) {
                first = first << 8 | second >> 56
                second = second << 8 | UInt64(byte)
            }
        }
    }

    subscript(proof: String) -> Entry? {
        let key = Key(proof)
        return recent[key] ?? former[key]
    }

    mutating func add(_ proof: String, _ claims: ProofClaims, to server: ProofNonces.Server) {
        if recent.count >= Self.limit {
            swap(&former, &recent)
            recent.removeAll(keepingCapacity: true)
        }
        recent[Key(proof)] = Entry(claims: claims, server: server)
    }

    /// Notes that a proof was answered, or will not be.
    mutating func end(_ proof: String, refusal: ProofOutcome? = nil) {
        guard var entry = self[proof] else { return }
        (entry.isAwaited, entry.refusal) = (false, refusal)
        let key = Key(proof)
        if recent[key] == nil { former[key] = entry } else { recent[key] = entry }
    }

    /// When the next proof that a server has not answered counts as lost; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - patience: how long an answer may take, from the proof or from the server's last answer on.
    ///   - lastAnswer: when the server answered last.
    ///   - uptime: the present time. Proofs that are lost by now are not awaited any more.
    mutating func firstLoss(
        at server: ProofNonces.Server, patience: Duration, lastAnswer: Duration, uptime: Duration
    ) -> Duration? {
        let isLost = { (entry: Entry) in max(entry.claims.uptime, lastAnswer) + patience <= uptime }
        for table in [\Self.recent, \Self.former] {
            for (key, entry) in self[keyPath: table] where entry.server == server && entry.isAwaited && isLost(entry) {
                self[keyPath: table][key]?.isAwaited = false
            }
        }
        let awaited = [recent, former].lazy.flatMap(\.values).filter { $0.server == server && $0.isAwaited }
        return awaited.map { max($0.claims.uptime, lastAnswer) + patience }.min()
    }
}
