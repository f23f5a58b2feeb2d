// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver

/// Waits on this machine for the browser to come back from a sign-in: for native apps and command-line tools.
///
///     let token = try await service.signIn(scopes: ["read"], through: .loopback) { url in print("Open \(url)") }
///
/// It listens on `127.0.0.1` or `[::1]`, on any free port, from when the sign-in starts until its callback has come, the
/// deadline has passed or the task is cancelled, and not longer (RFC 8252 §7.3, §8.3). Only the callback that the pending
/// sign-in accepts ends the wait: browsers connect in advance and ask for icons, and other programs may call too. The browser
/// then shows that the window can be closed; nothing of what came in is shown.
///
/// Register `http://127.0.0.1/callback` (or `http://[::1]/callback`) with the authorization server: it must allow any port
/// there. Where it wants one port, register and name that port.
public struct LoopbackReceiver: Sendable, Hashable {
    /// The literals that a callback may be received on; `localhost` is none, as it may be resolved to anything (RFC 8252 §8.3).
    public enum Address: Sendable, Hashable {
        /// `127.0.0.1`
        case ipv4
        /// `[::1]`
        case ipv6
    }

    public var address: Address
    /// The port; 0 for any free one.
    public var port: UInt16
    /// The path of the redirect URI.
    public var path: String
    /// How long a callback is waited for; a pending sign-in is valid for 10 minutes.
    public var timeout: Duration

    var limits = LoopbackLimits()

    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - path: The path of the redirect URI, for instance `/callback`.
    ///   - timeout: How long a callback is waited for.
    ///   - address: The literal to listen on.
    public init(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600), address: Address = .ipv4
    ) {
        self.port = port
        self.path = path
        self.timeout = timeout
        self.address = address
    }
}

extension LoopbackReceiver: CallbackReceiver {
    /// Listens, starts a sign-in with its own redirect URI, shows that page, and returns the callback.
    ///
    /// - Parameters:
    ///   - start: Makes the sign-in for a redirect URI such as `http://127.0.0.1:49152/callback`.
    ///   - show: Opens the page or tells the user its address. It may return at once; when the callback is there and it still
    ///     runs, it is cancelled and waited for.
    /// - Returns: The callback, not yet exchanged for a token. A denial is a callback too.
    /// - Throws: ``LoopbackReceiverError``; ``SignInError`` of the kind ``SignInError/Kind/expired`` if none comes in time; what `start` and `show` throw; `CancellationError`.
    public func callback(
        for start: @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let listener = try await LoopbackListener.open(for: self)
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

extension CallbackReceiver where Self == LoopbackReceiver {
    /// Listens on any free port of `127.0.0.1` for `/callback`.
    public static var loopback: LoopbackReceiver { LoopbackReceiver() }

    /// Listens on this machine as it is told to.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - path: The path of the redirect URI, for instance `/callback`.
    ///   - timeout: How long a callback is waited for.
    ///   - address: The literal to listen on.
    public static func loopback(
        port: UInt16 = 0, path: String = "/callback", timeout: Duration = .seconds(600),
        address: LoopbackReceiver.Address = .ipv4
    ) -> LoopbackReceiver {
        LoopbackReceiver(port: port, path: path, timeout: timeout, address: address)
    }
}
#endif
