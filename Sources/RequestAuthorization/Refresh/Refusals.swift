// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Consecutive refusals of the token endpoint that do not prove the end of the session.
///
/// A firewall's page or an empty 401 ends no session, so a dead token may be refused without end. Later errors suggest
/// a sign-in.
struct Refusals: Hashable, Sendable {
    private(set) var count = 0
    let since: Moment
    private(set) var status = 0
    private(set) var code: String?
    /// The code as it may be printed.
    private(set) var printableCode: String?
    /// The latest 400s and 401s without another answer between: a server's usual answer to a dead token.
    private var doubts: Doubts?
    /// Whether 400s and 401s have continued long enough.
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

    /// Returns the refusals after a failure: `nil` if the endpoint answered otherwise, `row` unchanged if no answer came.
    static func after(_ failure: RefreshFailure, in row: Refusals?, at now: Moment) -> Refusals? {
        guard let error = failure.error as? TokenEndpointError else {
            return failure.delivery == .answered ? nil : row
        }
        guard error.isRefusal else { return nil }
        var row = row ?? Refusals(since: now)
        row.add(error, at: now)
        return row
    }

    private mutating func add(_ error: TokenEndpointError, at now: Moment) {
        count += 1
        (status, code, printableCode) = (error.status, error.code, error.printableCode)
        // 400, 401, or an error in a 2xx answer. A refusal has no other status below.
        guard status <= 401 else { return doubts = nil }
        var doubts = doubts ?? Doubts(since: now, latest: now)
        doubts.count += 1
        doubts.latest = now
        self.doubts = doubts
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

extension RefreshFailed.Refusals {
    init(_ row: Refusals) {
        self.init(
            count: row.count, since: row.since.date, status: row.status, code: row.code,
            printableCode: row.printableCode, suggestsSignIn: row.suggestsSignIn)
    }
}
