// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// No valid token is available for now; the session goes on.
///
/// All waiters of the refresh get this error. So does, at once, each request that has no valid token before
/// ``nextTryAt``. If that is near, they wait for it instead (``RefreshPolicy/BackOff/patience``). The token is kept, and
/// a new try follows at each slot. The end of a session is a ``NotAuthorized``.
///
///     catch let error as RefreshFailed where error.suggestsSignIn { offerSignIn() }   // the user decides
public struct RefreshFailed: Error, Sendable {
    /// The error of the token service or the token store, for instance a `URLError`. It is not printed here.
    public let underlying: any Error

    /// When the next request will cause a new try.
    public let nextTryAt: Date

    /// Whether the server may have processed the token request.
    public let delivery: TokenRequestDelivery

    /// The consecutive refusals that did not end the session, if the last answer was one.
    package var refusals: Refusals?

    /// Consecutive refusals in this process, without a known error code.
    ///
    /// These are 4xx answers except 408 and 429, and errors in 2xx answers, which count like a 400.
    package struct Refusals: Hashable, Sendable {
        package let count: Int
        /// When the first one came.
        package let since: Date
        /// The HTTP status of the last one.
        package let status: Int
        /// The `error` member of the last one, if it had one.
        package let code: String?
        /// The code as it may be printed.
        let printableCode: String?
        /// Whether 400s, 401s or errors in 2xx answers have continued for at least three tries and five minutes.
        package let suggestsSignIn: Bool
    }

    /// Whether the token may be dead although no server has said so. Then 400s, 401s or errors in 2xx answers have
    /// continued for at least three tries and five minutes. Ask the user: nothing is lost if the server recovers.
    public var suggestsSignIn: Bool { refusals?.suggestsSignIn ?? false }

    public init(underlying: any Error, nextTryAt: Date, delivery: TokenRequestDelivery) {
        (self.underlying, self.nextTryAt, self.delivery) = (underlying, nextTryAt, delivery)
    }
}

extension RefreshFailed: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let cause = refusals.map { "\($0)" } ?? "\(type(of: underlying))"
        let advice = suggestsSignIn ? "signing in again may help" : "no sign-in is needed"
        return "the token could not be refreshed (\(cause)); try again at \(nextTryAt) or later, \(advice)"
    }
}

extension RefreshFailed.Refusals {
    package init(count: Int, since: Date, status: Int, code: String? = nil, suggestsSignIn: Bool = false) {
        self.init(
            count: count, since: since, status: status, code: code, printableCode: ErrorCode.printable(code),
            suggestsSignIn: suggestsSignIn)
    }
}

extension RefreshFailed.Refusals: RedactedDescription {
    package var description: String {
        let answer = "\(status)" + (code == nil ? "" : " (\(printableCode ?? "…"))")
        return count == 1
            ? "the token endpoint answered \(answer)"
            : "the token endpoint has refused \(count) times since \(since), last with \(answer)"
    }
}
