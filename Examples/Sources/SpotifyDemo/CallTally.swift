// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationURLSession

/// The result of a call of the demo.
enum CallEnd: Hashable, Sendable {
    case succeeded
    /// A typed error. The value is a label without secrets.
    case failed(String)
    /// An error of an unknown type, or an unexpected cancellation.
    case lost

    init(_ error: any Error) {
        switch error {
        case let error as SpotifyError: self = .failed("Spotify answered \(error.status)")
        case let error as NotAuthorized: self = .failed("NotAuthorized, \(error.reason)")
        case is RefreshFailed: self = .failed("RefreshFailed")
        case let error as URLError: self = .failed("URLError \(error.code.rawValue)")
        default: self = .lost
        }
    }
}

/// Counts the results of the demo's calls.
struct CallTally: Sendable {
    private(set) var ended = 0
    private(set) var succeeded = 0
    private(set) var failures: [String: Int] = [:]
    private(set) var longestWait: Duration = .zero

    mutating func note(_ end: CallEnd, after wait: Duration) {
        ended += 1
        longestWait = max(longestWait, wait)
        switch end {
        case .succeeded: succeeded += 1
        case .failed(let kind): failures[kind, default: 0] += 1
        case .lost: break
        }
    }

    /// Enters the figures. All other calls count as lost, also those that have not ended.
    func enter(in report: inout DemoReport) {
        report.succeeded = succeeded
        report.failed = failures.values.reduce(0, +)
        report.lost = report.requests - succeeded - report.failed
        report.failures = failures
        report.longestWaitSeconds = longestWait / .seconds(1)
    }
}
