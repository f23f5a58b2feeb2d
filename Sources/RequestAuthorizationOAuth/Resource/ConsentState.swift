// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Whether a person may be asked, and which server may refresh: a pure state, without tasks and pages.
///
/// Never two pages at a time, and never an old refresh token after a change of server. At most three sign-ins that the
/// program did not ask for begin in an hour. In ten minutes at most one of them is for a change of server, and one for
/// more than was granted. A sign-in that asked no person counts for a minute.
struct ConsentState: Hashable, Sendable {
    /// What happens to a request that only a person can help.
    enum Effect: Hashable, Sendable {
        /// A sign-in begins.
        case begin
        /// The sign-in that is under way helps.
        case join
        /// The request was sent before the present session began.
        case retry
        /// The answer counts.
        case answer
    }

    /// The number of the session, which rises with each sign-in; `nil` before the first.
    private(set) var number: Int?
    /// The server of the session.
    private(set) var issuer = ""
    /// Whether the resource no longer lists it.
    private var isAbandoned = false
    private(set) var isSigningIn = false
    /// One denial silences the resource, until the program asks for a sign-in or ends.
    private(set) var isSilent = false
    private var beginnings: [Beginning] = []

    private struct Beginning: Hashable {
        let reason: ResourceSignIn.Reason
        let at: Duration
        var isAsked = false

        /// How long it counts: the limit spares a person, and a server needs a short one.
        var period: Duration { isAsked ? .seconds(3600) : .seconds(60) }
    }

    /// A request was refused, and only a person helps.
    ///
    /// - Parameter number: of the session in which it was sent; `nil` if it was sent without a credential.
    mutating func needs(_ reason: ResourceSignIn.Reason, sentIn number: Int?, at now: Duration) -> Effect {
        if number != self.number { return .retry }
        if isSigningIn { return .join }
        beginnings.removeAll { now - $0.at > $0.period }
        let isRepeated = beginnings.contains { $0.reason.isOnce(with: reason) && now - $0.at <= .seconds(600) }
        guard !isSilent, !isRepeated, beginnings.count < 3 else { return .answer }
        beginnings.append(Beginning(reason: reason, at: now))
        isSigningIn = true
        return .begin
    }

    /// The program asks for a sign-in.
    mutating func asked() -> Effect {
        isSilent = false
        guard !isSigningIn else { return .join }
        (isSigningIn, beginnings) = (true, [])
        return .begin
    }

    /// The sign-in that is under way asks the person, or a sibling has done so.
    mutating func asksPerson() {
        if let last = beginnings.indices.last { beginnings[last].isAsked = true }
    }

    /// A sign-in has ended. Its session was begun before, if it has brought one.
    mutating func ended(byDenial: Bool = false) {
        isSigningIn = false
        if byDenial { isSilent = true }
    }

    /// Forgets the sign-in that is under way. A sibling has signed in meanwhile, so nobody was asked.
    mutating func spare() { _ = beginnings.popLast() }

    /// A session begins: after a sign-in, or because a sibling's was found in the records.
    ///
    /// - Returns: its number.
    @discardableResult mutating func begin(_ issuer: String) -> Int {
        let next = (number ?? 0) + 1
        (number, self.issuer, isAbandoned) = (next, issuer, false)
        return next
    }

    /// The resource lists these issuers now. Without the session's own its refresh token is of no use any more.
    mutating func listed(_ issuers: [String]) {
        isAbandoned = !issuers.contains { AuthorizationServer.isSameIssuer($0, issuer) }
    }

    /// Whether the token of a session may be refreshed.
    func mayRefresh(_ number: Int) -> Bool { number == self.number && !isAbandoned }
}

extension ConsentState {
    /// Whether a sign-in has thrown an error because the person said no, or the page did.
    static func isDenial(_ error: any Error) -> Bool {
        if let error = error as? SignInError { return [.denied, .cancelled].contains(error.kind) }
        return (error as? NotAuthorized)?.detail == denial
    }

    /// What the error of a denial says.
    static let denial = "the person does not want to sign in; nobody is asked again until signIn() is called"
}

extension ResourceSignIn.Reason {
    /// Whether a session needs more than it was granted.
    var isStepUp: Bool { [.scopes, .strongerLogIn].contains(self) }

    /// Whether two reasons count as one step, of which one is allowed in ten minutes.
    fileprivate func isOnce(with other: Self) -> Bool {
        self == other && self != .first || isStepUp && other.isStepUp
    }
}
