// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Consecutive refusals of the token endpoint that do not prove the end of the session.
///
/// A firewall's page or an empty 401 ends no session, so a dead token may be refused without end. Later errors suggest
/// a sign-in.
struct Refusals: Hashable, Sendable {
    /// What callers are told.
    let facts: RefreshFailed.Refusals
    /// The latest 400s, 401s and errors in 2xx answers, without another answer between: usual answers to a dead token.
    private let doubts: Doubts?

    private struct Doubts: Hashable {
        var count = 0
        /// When the first one came, as uptime.
        let since: Duration
    }

    private static var tries: Int { 3 }
    private static var period: Duration { .seconds(300) }

    /// Returns the refusals after a failure: `nil` if the endpoint answered otherwise, `row` unchanged if no answer came.
    static func after(_ failure: RefreshFailure, in row: Refusals?, at now: Moment) -> Refusals? {
        guard let error = failure.error as? TokenEndpointError else {
            return failure.delivery == .answered ? nil : row
        }
        return error.isRefusal ? Refusals(error, after: row, at: now) : nil
    }

    private init(_ error: TokenEndpointError, after row: Refusals?, at now: Moment) {
        // 400, 401, or an error in a 2xx answer. A refusal has no other status below.
        var doubts: Doubts? = error.status <= 401 ? row?.doubts ?? Doubts(since: now.uptime) : nil
        doubts?.count += 1
        self.doubts = doubts
        // They have continued for long enough.
        let suggestsSignIn = doubts.map { $0.count >= Self.tries && now.uptime - $0.since >= Self.period } ?? false
        facts = RefreshFailed.Refusals(
            count: (row?.facts.count ?? 0) + 1, since: row?.facts.since ?? now.date, status: error.status,
            code: error.code, printableCode: error.printableCode, suggestsSignIn: suggestsSignIn)
    }
}

extension TokenEndpointError {
    /// Whether the endpoint refused for an unknown reason.
    var isRefusal: Bool {
        guard kind == .transient, status != 408, !Self.isPassing(status: status) else { return false }
        if let code, Self.passingCodes.contains(code) { return false }
        return (400..<500).contains(status) || (200..<300).contains(status)
    }

    /// The codes of failures that may pass (RFC 6749 §4.1.2.1, RFC 8628 §3.5).
    private static let passingCodes: Set = [
        "temporarily_unavailable", "server_error", "slow_down", "authorization_pending",
    ]
}
