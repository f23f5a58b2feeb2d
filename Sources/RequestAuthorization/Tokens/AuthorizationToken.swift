// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A credential that expires. Any `Sendable` type can conform:
///
///     struct MyToken: AuthorizationToken {
///         let accessToken: String
///         let expiresAt: Date
///         var authorizationHeaderValue: String { "Bearer \(accessToken)" }
///     }
///
/// Conforming types print as `MyToken([redacted])`: in `print`, `dump`, string interpolation and the debugger.
public protocol AuthorizationToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value of the `Authorization` field: scheme, space, credential. It is checked when the token is installed.
    var authorizationHeaderValue: String { get }

    /// The date from which servers refuse the token; `.distantFuture`, the default, if only the server knows.
    ///
    /// It is the same at each access. Count it from the time at which the token was requested, not from the answer. The
    /// library does not read a property `isExpired` of your own: `AuthorizationTokenChecks` of
    /// `RequestAuthorizationTesting` reports a token that has only that.
    var expiresAt: Date { get }

    /// The date from which no refresh helps and the user must sign in again, if it is known; `nil` by default.
    ///
    /// The provider sends an event ahead of that date; see ``AuthorizationEvent/Kind/signInNeeded``.
    var signInNeededBefore: Date? { get }

    /// The date before which a refresh keeps the session alive, because the server ends sessions that are not used; `nil`,
    /// the default, if it is not known.
    ///
    /// With ``RefreshPolicy/keepsAlive`` the provider refreshes the token ahead of that date, even if no request comes.
    var refreshNeededBefore: Date? { get }

    /// Whether the token is of use on this device only, because its key cannot leave it; `false` by default.
    ///
    /// If the store is shared with other devices, a provider refuses the token; see
    /// ``TokenStore/isSharedBetweenDevices``.
    var isBoundToDevice: Bool { get }
}

extension AuthorizationToken {
    public var expiresAt: Date { .distantFuture }
    public var signInNeededBefore: Date? { nil }
    public var refreshNeededBefore: Date? { nil }
    public var isBoundToDevice: Bool { false }

    /// Whether the token has expired at a date.
    public func isExpired(at date: Date) -> Bool { expiresAt <= date }

    public var description: String { "\(Self.self)([redacted])" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
