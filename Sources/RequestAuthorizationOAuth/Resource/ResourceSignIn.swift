// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How a person is asked to sign in.
///
///     signIn: .through(.loopback, show: { page in print("Open", page) }) { ask in
///         terminal.confirm("\(ask.resource) wants \(ask.scopes) from \(ask.issuer)")
///     }
public struct ResourceSignIn: Sendable, RedactedDescription {
    /// Why a person is asked.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short label.
        public let description: String

        /// Nobody has signed in here yet, or the program asks for it.
        public static let first = Reason(description: "first sign-in")
        /// A request needs scopes that the token does not have (RFC 6750 §3.1).
        public static let scopes = Reason(description: "further scopes")
        /// A request needs a stronger or more recent log-in (RFC 9470).
        public static let strongerLogIn = Reason(description: "stronger log-in")
        /// The resource is guarded by another authorization server now.
        public static let otherServer = Reason(description: "other server")
        /// The resource refuses a token that cannot be refreshed.
        public static let refusedToken = Reason(description: "refused token")
    }

    /// Who asks whom for what. The texts hold no control characters; they come from the servers all the same.
    public struct Request: Sendable, Hashable {
        /// The resource that the token will be for: the URL, or a parent of it whose parts all accept the token.
        public let resource: String
        /// The server on whose page the person signs in. Show it first.
        public let issuer: String
        public let scopes: Set<String>
        /// The scopes that were not requested before.
        public let newScopes: Set<String>
        public let reason: Reason
    }

    /// Nobody is asked: calls that need a person throw at once.
    public static let never = ResourceSignIn(channel: nil)

    /// Asks, and then signs in through a receiver.
    ///
    /// - Parameters:
    ///   - receiver: shows the page and receives its callback, or receives it only.
    ///   - show: shows the page, if the receiver does not do so itself.
    ///   - ask: returns whether the page may be shown. No page is shown without it; `false` counts as a refusal.
    public static func through(
        _ receiver: some CallbackReceiver,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void = { _ in },
        ask: nonisolated(nonsending) @escaping @Sendable (Request) async throws -> Bool
    ) -> ResourceSignIn {
        ResourceSignIn(channel: Channel(way: .callback(receiver, show: show), ask: ask))
    }

    /// Asks, and then signs in on another device (RFC 8628): for programs that no browser can call back.
    ///
    /// - Parameters:
    ///   - show: shows ``DeviceSignIn/instructions``.
    ///   - ask: returns whether the code may be shown; `false` counts as a refusal.
    public static func onAnotherDevice(
        show: nonisolated(nonsending) @escaping @Sendable (DeviceSignIn) async throws -> Void,
        ask: nonisolated(nonsending) @escaping @Sendable (Request) async throws -> Bool
    ) -> ResourceSignIn {
        ResourceSignIn(channel: Channel(way: .device(show: show), ask: ask))
    }

    enum Way: Sendable {
        case callback(any CallbackReceiver, show: @Sendable (URL) async throws -> Void)
        case device(show: @Sendable (DeviceSignIn) async throws -> Void)
    }

    struct Channel: Sendable {
        let way: Way
        let ask: @Sendable (Request) async throws -> Bool
        /// Prepares a receiver: for the redirect URI that is registered already, and for an issuer of its own if that
        /// server does not name itself in callbacks (RFC 9700 §4.4.2).
        var prepare:
            @Sendable (_ receiver: any CallbackReceiver, _ registered: String?, _ issuer: String?) ->
                any CallbackReceiver = ResourceSignIn.prepared
    }

    var channel: Channel?

    /// The path is made first: the registered redirect URI has it too.
    @Sendable private static func prepared(
        _ receiver: any CallbackReceiver, _ registered: String?, _ issuer: String?
    ) -> any CallbackReceiver {
        let dedicated = issuer.map { receiver.dedicated(to: $0) } ?? receiver
        return registered.map { dedicated.preferring($0) } ?? dedicated
    }
}

extension ResourceSignIn.Request {
    init(_ found: ProtectedResource, _ scopes: Set<String>, since former: Set<String>, _ reason: ResourceSignIn.Reason)
    {
        resource = TerminalText.clean(found.identifier)
        issuer = TerminalText.clean(found.server.issuer ?? found.server.tokenEndpoint?.absoluteString ?? "")
        self.scopes = Set(scopes.map { TerminalText.clean($0) })
        newScopes = Set(scopes.subtracting(former).map { TerminalText.clean($0) })
        self.reason = reason
    }
}
