// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A credential that expires. Any `Sendable` type will do:
///
///     struct MyToken: AuthorizationToken {
///         let accessToken: String
///         let expiresAt: Date
///         var authorizationHeaderValue: String { "Bearer \(accessToken)" }
///     }
///
/// Conforming types print as `MyToken([redacted])`: by `print`, `dump`, string interpolation and in a debugger.
public protocol AuthorizationToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value of the `Authorization` field: scheme, a space, the credential. Checked when the token is installed.
    var authorizationHeaderValue: String { get }

    /// From when on the token is refused; `.distantFuture`, the default, if only the server knows.
    ///
    /// Count it from when the request for the token was sent, not from when the answer came. A property `isExpired` of your own
    /// is not asked: `AuthorizationTokenChecks` of `RequestAuthorizationTesting` finds a token that has that alone.
    var expiresAt: Date { get }

    /// From when on no refresh helps and somebody must sign in again, if that is known; `nil` by default.
    ///
    /// Ahead of it a provider says so; see ``AuthorizationEvent/Kind/signInNeeded``.
    var signInNeededBefore: Date? { get }

    /// Whether the token is of use on this device alone, because its key cannot leave it; `false` by default.
    ///
    /// A provider refuses such a token if its store is shared with other devices; see ``TokenStore/isSharedBetweenDevices``.
    var isBoundToDevice: Bool { get }
}

extension AuthorizationToken {
    public var expiresAt: Date { .distantFuture }
    public var signInNeededBefore: Date? { nil }
    public var isBoundToDevice: Bool { false }

    /// Whether the token has ended at a point in time.
    public func isExpired(at date: Date) -> Bool { expiresAt <= date }

    public var description: String { "\(Self.self)([redacted])" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
