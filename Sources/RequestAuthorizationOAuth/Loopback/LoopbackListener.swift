// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import Dispatch
import NIOCore
import NIOHTTP1
import NIOPosix

/// A listening socket for one sign-in.
final class LoopbackListener: Sendable {
    private let channel: any Channel
    private let connections: Lock<LoopbackConnections>
    private let exchange: Lock<LoopbackExchange>
    private let promise: EventLoopPromise<URL>
    private let deadline: Scheduled<Void>

    init(for receiver: LoopbackReceiver) async throws {
        guard LoopbackExchange.isValid(path: receiver.path) else { throw LoopbackReceiverError(.invalidPath) }
        try Task.checkCancellation()
        // The listener and its connections share one event loop.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: URL.self)
        let connections = Lock(LoopbackConnections(limit: receiver.limits.connections))
        let exchange = Lock(LoopbackExchange(literal: receiver.address.literal, path: receiver.path))
        let channel: any Channel
        do {
            channel = try await Self.bootstrap(
                on: loop, limits: receiver.limits, connections: connections, exchange: exchange, promise: promise
            ).bound(to: receiver)
        } catch {
            promise.fail(error)
            throw LoopbackReceiverError(.cannotListen, underlying: error)
        }
        exchange.withLock { $0.listen(on: channel.localAddress?.port ?? 0) }
        (self.channel, self.connections, self.exchange, self.promise) = (channel, connections, exchange, promise)
        deadline = channel.eventLoop.scheduleTask(in: TimeAmount(receiver.timeout.saturated)) {
            promise.fail(SignInError(.expired, detail: "no callback came before the timeout; sign in again"))
        }
    }

    /// Starts the sign-in, shows its page and waits for the callback.
    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        // Nobody waits for this task, and the end of the wait does not cancel it: a caller's code may hang, and inside
        // `URLSession.data` on Linux cancelling it may block for ever if the answer arrives at that moment.
        let page = Task { [exchange, promise] in
            do {
                let redirectURI = exchange.withLock(\.redirectURI)
                let pending = try await start(redirectURI)
                guard pending.redirectURI == redirectURI else { throw LoopbackReceiverError(.otherRedirectURI) }
                // The wait may have ended meanwhile.
                if exchange.withLock({ $0.begin(pending) }) { try await show(pending.url) }
            } catch {
                promise.fail(error)
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: { [exchange, promise] in
            exchange.withLock { $0.end() }
            promise.fail(CancellationError())
            // Not on this thread, which may be one of the few that run tasks: see above.
            DispatchQueue.global().async { page.cancel() }
        }
    }

    /// Stops listening, and returns when the port is free and all connections are closed.
    func close() async {
        deadline.cancel()
        exchange.withLock { $0.end() }
        promise.fail(CancellationError())
        try? await channel.close()
        for connection in connections.withLock(\.all) {
            connection.close(promise: nil)
            try? await connection.closeFuture.get()
        }
    }
}

// MARK: - Channels

extension LoopbackListener {
    private static func bootstrap(
        on loop: any EventLoop, limits: LoopbackLimits, connections: Lock<LoopbackConnections>,
        exchange: Lock<LoopbackExchange>, promise: EventLoopPromise<URL>
    ) -> ServerBootstrap {
        ServerBootstrap(group: loop)
            // Lets a fixed port be used again at once. On the systems we know, two listeners still cannot share a port.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 16)
            // Accepts one connection at a time, so that the limit holds.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        LoopbackAdmission(connections: connections))
                }
            }
            .childChannelInitializer { channel in
                let end = channel.eventLoop.scheduleTask(in: TimeAmount(limits.connectionTime)) {
                    channel.close(promise: nil)
                }
                channel.closeFuture.whenComplete { _ in end.cancel() }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        LoopbackHeadLimit(limits.headLength),
                        HTTPResponseEncoder(),
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        LoopbackHandler(exchange: exchange, connections: connections, callback: promise),
                    ])
                }
            }
    }
}

extension ServerBootstrap {
    /// Listens on the first of the receiver's ports that is free.
    ///
    /// - Throws: the error of the last port.
    fileprivate func bound(to receiver: LoopbackReceiver) async throws -> any Channel {
        for port in receiver.ports.dropLast() {
            if let channel = try? await bound(to: port, of: receiver.address) { return channel }
        }
        return try await bound(to: receiver.port, of: receiver.address)
    }

    private func bound(to port: UInt16, of address: LoopbackReceiver.Address) async throws -> any Channel {
        try await bind(to: SocketAddress(ipAddress: address.ip, port: Int(port))).get()
    }
}

extension LoopbackReceiver.Address {
    fileprivate var ip: String { self == .ipv4 ? "127.0.0.1" : "::1" }
    var literal: String { self == .ipv4 ? "127.0.0.1" : "[::1]" }
}
#endif
