// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
/// Receives the callback of a sign-in on this machine, for native apps and command-line tools.
///
///     let token = try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open \(url)") }
///
/// It listens on `127.0.0.1` or `[::1]`, on any free port (RFC 8252 §7.3, §8.3). It stops when the callback has come,
/// the timeout has passed or the task is cancelled. Only a callback that the pending sign-in accepts ends the wait:
/// browsers connect in advance and ask for icons, and other programs may send requests. The browser then shows that
/// the window can be closed. The page contains no part of the request.
///
/// Register `http://127.0.0.1/callback` (or `http://[::1]/callback`) with the authorization server, which must allow
/// any port there. If the server requires a fixed port, register that port and pass it here. If the client registers
/// itself, for one redirect URI after the other, ``preferring(_:)`` asks for the port of the last one.
public struct LoopbackReceiver: Sendable, Hashable {
    /// The addresses to listen on. `localhost` is not one: it may resolve to another machine (RFC 8252 §8.3).
    public enum Address: Sendable, Hashable {
        /// `127.0.0.1`
        case ipv4
        /// `[::1]`
        case ipv6
    }

    package var address: Address
    /// The port; 0 for any free one.
    package var port: UInt16
    /// The path of the redirect URI, for instance `/callback`.
    package var path: String
    /// How long to wait for the callback; a pending sign-in is valid for 10 minutes.
    package var timeout: Duration

    var limits = LoopbackLimits()
    /// The port that is tried before any free one.
    private(set) var preferredPort: UInt16?

    /// Creates a receiver. It does not listen yet.
    package init(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600), address: Address = .ipv4
    ) {
        (self.port, self.path, self.timeout, self.address) = (port, path, timeout, address)
    }
}

extension LoopbackReceiver: CallbackReceiver {
    /// Listens, starts a sign-in with its redirect URI, shows the server's page, and returns the callback.
    ///
    /// The redirect URI is, for instance, `http://127.0.0.1:49152/callback`. `start` and `show` run in a task of their
    /// own, and this function never waits for its end. `show` may return at once. If it still runs when the callback
    /// comes or the timeout has passed, it goes on, is not cancelled, and its error is ignored. On Linux `URLSession`
    /// may stand still for ever if a task is cancelled while its answer arrives. Only if the caller's task is
    /// cancelled, `start` and `show` are cancelled too. A page is not shown after the end.
    ///
    /// - Returns: the callback, not yet exchanged for a token. A denial is a callback too.
    /// - Throws: ``LoopbackReceiverError``; ``SignInError`` of the kind ``SignInError/Kind/expired`` if no callback
    ///   comes before the timeout; errors of `start` and `show` before that; `CancellationError`.
    public func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let listener = try await LoopbackListener(for: self)
        do {
            let callback = try await listener.callback(for: start, show: show)
            await listener.close()
            return callback
        } catch {
            await listener.close()
            throw error
        }
    }
}

extension LoopbackReceiver {
    /// Listens on the port of an earlier redirect URI if it is free, else on any free port.
    ///
    ///     let receiver = LoopbackReceiver.loopback.preferring("http://127.0.0.1:49152/callback")
    ///
    /// It counts only for a receiver of any port, and only if that receiver could have made the URI.
    public func preferring(_ redirectURI: String) -> LoopbackReceiver {
        let (start, end) = ("http://\(address.literal):", path)
        guard port == 0, redirectURI.hasPrefix(start), redirectURI.hasSuffix(end),
            redirectURI.utf8.count > start.utf8.count + end.utf8.count
        else { return self }
        let digits = redirectURI.dropFirst(start.count).dropLast(end.count)
        guard let number = UInt16(digits), number > 0, String(number) == digits else { return self }
        var receiver = self
        receiver.preferredPort = number
        return receiver
    }

    #if canImport(CryptoKit) || Crypto
    /// Appends a segment to the path that stands for an issuer: the first 12 characters of its SHA-256 in Base64URL.
    ///
    /// The redirect URI is then, for instance, `http://127.0.0.1:49152/callback/47DEQpj8HBSa`.
    public func dedicated(to issuer: String) -> LoopbackReceiver {
        var receiver = self
        receiver.path += (path.hasSuffix("/") ? "" : "/") + PKCE.challenge(for: issuer).prefix(12)
        return receiver
    }
    #endif

    /// The ports to try, in order.
    var ports: [UInt16] { (preferredPort.map { [$0] } ?? []) + [port] }
}

extension CallbackReceiver where Self == LoopbackReceiver {
    /// Listens on any free port of `127.0.0.1` for `/callback`.
    public static var loopback: LoopbackReceiver { LoopbackReceiver() }

    /// Listens on this machine as soon as a sign-in begins.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any free one.
    ///   - path: the path of the redirect URI.
    ///   - timeout: how long to wait for the callback; a pending sign-in is valid for 10 minutes.
    ///   - address: the address to listen on.
    public static func loopback(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600),
        address: LoopbackReceiver.Address = .ipv4
    ) -> LoopbackReceiver {
        LoopbackReceiver(port: port, path: path, timeout: timeout, address: address)
    }
}

/// Limits for inbound connections.
struct LoopbackLimits: Sendable, Hashable {
    /// The request line and the header fields, in bytes.
    var headLength = 8 << 10
    /// How long a connection may last.
    var connectionTime = Duration.seconds(5)
    /// The number of connections at a time. A further one replaces the oldest that has not sent a whole head.
    var connections = 16
}

/// The receiver cannot receive a callback on this machine.
public struct LoopbackReceiverError: Error {
    package struct Code: Hashable, Sendable, Labelled {
        package let label: String

        /// Listening on the port failed; see `underlying`.
        package static let cannotListen = Code(label: "cannot listen")
        /// The path is not valid in a redirect URI.
        package static let invalidPath = Code(label: "invalid path")
        /// The sign-in has a redirect URI that is not this receiver's.
        package static let otherRedirectURI = Code(label: "other redirect URI")
    }

    package let code: Code
    /// The system's error if listening on the port failed, else `nil`. The description does not contain it.
    public let underlying: (any Error)?

    package init(_ code: Code, underlying: (any Error)? = nil) { (self.code, self.underlying) = (code, underlying) }
}

extension LoopbackReceiverError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        switch code {
        case .cannotListen:
            "listening on the callback's port failed: use port 0, or end the program that listens on this port"
        case .invalidPath:
            "the callback's path is not valid: begin it with /, and use only characters of a URL's path"
        case .otherRedirectURI:
            "the sign-in has another redirect URI than the receiver: start it with the one that the receiver passes"
        default: "the receiver cannot receive a callback: \(code)"
        }
    }
}
#else
// Stand-ins for the receiver without the trait, whose message names the trait.
@available(
    *, unavailable,
    message: "LoopbackReceiver needs swift-nio: enable the trait 'LoopbackReceiver' of swift-request-authorization"
)
public struct LoopbackReceiver: Sendable, CallbackReceiver {
    public enum Address: Sendable, Hashable {
        case ipv4, ipv6
    }

    public func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL { fatalError("unavailable") }
}

@available(
    *, unavailable,
    message: "LoopbackReceiver needs swift-nio: enable the trait 'LoopbackReceiver' of swift-request-authorization"
)
extension CallbackReceiver where Self == LoopbackReceiver {
    public static var loopback: LoopbackReceiver { fatalError("unavailable") }

    public static func loopback(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600),
        address: LoopbackReceiver.Address = .ipv4
    ) -> LoopbackReceiver { fatalError("unavailable") }
}
#endif
