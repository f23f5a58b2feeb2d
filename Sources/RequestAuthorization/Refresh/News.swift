// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What is announced once the store holds it, or after the first try to store it.
enum News: Hashable {
    case refreshed(HeldToken)
    case signedIn(HeldToken, SignIn)
    case ended(Ending)
}

/// A manual refresh or a sign-in.
struct SignIn: Hashable {
    let id: RefreshID
    let beganAt: Duration
    let isAwaited: Bool
    /// Requests wait for it, until its deadline.
    private(set) var isHolding = true

    mutating func passDeadline() { isHolding = false }
}

/// Why the session is over. Endings with the same reason are equal.
struct Ending: Hashable {
    let error: NotAuthorized
    /// Whether the service may begin the next session by itself, so that a new provider would sign in again.
    var mayBeFetched = false

    private var facts: [AnyHashable] { [error.reason, mayBeFetched] }
    static func == (left: Self, right: Self) -> Bool { left.facts == right.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}
