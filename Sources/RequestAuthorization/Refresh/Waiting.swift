// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

/// How long the token must remain valid for a request.
enum TokenNeed: Hashable {
    case now
    /// Valid until a date; the token is refreshed once at most for that.
    case until(Date)
    /// A new token is needed in any case.
    case refreshed

    func isMet(by held: HeldToken) -> Bool {
        switch self {
        case .now: true
        case .until(let date): held.expiresAt >= date
        case .refreshed: false
        }
    }
}

/// The kinds of waiting requests.
enum Waiters: Hashable {
    /// Requests that accept any valid token.
    case ordinary
    /// Requests that need a token that lasts longer than the held one.
    case lasting
}

/// A suspended request.
struct WaitingRequest {
    typealias Continuation = UnsafeContinuation<HeldToken, any Error>

    let continuation: Continuation
    let kind: Waiters
    /// The line of sessions that binds the request, if a token was held; see ``SessionLine``.
    let line: Int?
}

/// A waiting request and its place in the queue. The ticket exists before the request can be cancelled.
final class WaiterTicket: Sendable {
    let need: TokenNeed
    /// When the request arrived, if that is known.
    let date: Date?
    private let number = Atomic(-1)

    init(_ need: TokenNeed, at date: Date?) { (self.need, self.date) = (need, date) }

    func note(_ place: Int) { number.store(place, ordering: .relaxed) }

    /// The place in the queue; `nil` before there is one.
    var place: Int? {
        let number = number.load(ordering: .relaxed)
        return number < 0 ? nil : number
    }
}
