// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Refusals of the token endpoint in a row that say nothing of the session.
///
/// A firewall's page or an empty 401 ends no session, so a token that is really dead is refused for ever. After a while the
/// errors suggest a sign-in.
struct Refusals: Hashable, Sendable {
    private(set) var count = 1
    let since: Moment
    private(set) var status: Int
    private(set) var code: String?
    /// The 400s and 401s at the end of the row: what a server answers to a dead token.
    private var doubts: Doubts?
    /// Whether the 400s and 401s have gone on long enough.
    var suggestsSignIn: Bool {
        doubts.map { $0.count >= Self.tries && $0.latest.uptime - $0.since.uptime >= Self.period } ?? false
    }

    private struct Doubts: Hashable {
        var count = 0
        let since: Moment
        var latest: Moment
    }

    private static var tries: Int { 3 }
    private static var period: Duration { .seconds(300) }

    /// The row after one more failure.
    ///
    /// - Returns: `nil` if the endpoint answered something else; the row as it was if no answer came.
    static func after(_ failure: RefreshFailure, in row: Refusals?, at now: Moment) -> Refusals? {
        guard let error = failure.error as? TokenEndpointError else {
            return failure.delivery == .answered ? nil : row
        }
        guard error.isRefusal else { return nil }
        guard var row else { return Refusals(first: error, at: now) }
        row.count += 1
        row.add(error, at: now)
        return row
    }

    private init(first error: TokenEndpointError, at now: Moment) {
        (since, status, code) = (now, error.status, error.code)
        add(error, at: now)
    }

    private mutating func add(_ error: TokenEndpointError, at now: Moment) {
        (status, code) = (error.status, error.code)
        // An error within a success is as good as a 400.
        guard [400, 401].contains(status) || (200..<300).contains(status) else { return doubts = nil }
        var doubts = doubts ?? Doubts(since: now, latest: now)
        doubts.count += 1
        doubts.latest = now
        self.doubts = doubts
    }
}

extension TokenEndpointError {
    /// Whether the endpoint refused without a known reason.
    var isRefusal: Bool {
        guard kind == .transient, status != 408, !Self.isPassing(status: status) else { return false }
        if let code, Self.passingCodes.contains(code) { return false }
        return (400..<500).contains(status) || (200..<300).contains(status)
    }

    /// The codes that say that it may work later (RFC 6749 §4.1.2.1, RFC 8628 §3.5).
    private static let passingCodes: Set = [
        "temporarily_unavailable", "server_error", "slow_down", "authorization_pending",
    ]
}

extension RefreshFailed.Refusals {
    init(_ row: Refusals) {
        self.init(
            count: row.count, since: row.since.date, status: row.status, code: row.code,
            suggestsSignIn: row.suggestsSignIn)
    }
}
