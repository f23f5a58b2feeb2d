// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// No valid token could be had this time; the session goes on.
///
/// Everyone who waited for the refresh gets it, and everyone who comes before ``nextTryAt``, at once. The token and its refresh
/// token are kept, and each slot tries again. What ends a session is a ``NotAuthorized``.
///
///     catch let error as RefreshFailed where error.suggestsSignIn { offerSignIn() }   // the person decides
public struct RefreshFailed: Error, Sendable {
    /// What the token service or the token store threw, for instance a `URLError`. It is not printed here.
    public let underlying: any Error

    /// When the next caller will cause a new try.
    public let nextTryAt: Date

    /// Whether the server may have processed the request all the same.
    public let delivery: TokenRequestDelivery

    /// The refusals of the token endpoint that ended without a verdict on the session, if the last answer was one.
    public let refusals: Refusals?

    /// Refusals of a token endpoint in a row, in this process: answers of 4xx other than 408 and 429, without a known error code.
    public struct Refusals: Hashable, Sendable {
        /// How many there were.
        public let count: Int
        /// When the first came.
        public let since: Date
        /// The HTTP status of the last.
        public let status: Int
        /// The `error` member of the last, if it had one.
        public let code: String?
        /// Whether 400s and 401s have gone on for at least three tries and five minutes.
        public let suggestsSignIn: Bool

        public init(count: Int, since: Date, status: Int, code: String? = nil, suggestsSignIn: Bool = false) {
            self.count = count
            self.since = since
            self.status = status
            self.code = code
            self.suggestsSignIn = suggestsSignIn
        }
    }

    /// Whether the token may be dead although no server has said so: 400s and 401s have gone on for at least three tries and five
    /// minutes. Ask the person; nothing is lost if the server recovers.
    public var suggestsSignIn: Bool { refusals?.suggestsSignIn ?? false }

    public init(
        underlying: any Error, nextTryAt: Date, delivery: TokenRequestDelivery, refusals: Refusals? = nil
    ) {
        self.underlying = underlying
        self.nextTryAt = nextTryAt
        self.delivery = delivery
        self.refusals = refusals
    }
}

extension RefreshFailed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let cause = refusals.map { "\($0)" } ?? "\(type(of: underlying))"
        let advice = suggestsSignIn ? "signing in again may help" : "nobody needs to sign in"
        return "the token could not be refreshed (\(cause)); try again at \(nextTryAt) or later, \(advice)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["nextTryAt": nextTryAt]) }
}

extension RefreshFailed.Refusals: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let answer = "\(status)" + (code.map { " (\(TokenEndpointError.printable($0)))" } ?? "")
        return count == 1
            ? "the token endpoint answered \(answer)"
            : "the token endpoint has refused \(count) times since \(since), last with \(answer)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["count": count, "status": status]) }
}
