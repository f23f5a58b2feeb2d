// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore
import NIOHTTP1
import NIOPosix

/// A listening socket for one sign-in.
final class LoopbackListener: Sendable {
    private let channel: any Channel
    private let connections: Lock<[ObjectIdentifier: any Channel]>
    private let exchange: Lock<LoopbackExchange>
    private let promise: EventLoopPromise<URL>
    private let deadline: Scheduled<Void>

    /// Starts to listen.
    init(for receiver: LoopbackReceiver) async throws {
        guard LoopbackExchange.isValid(path: receiver.path) else { throw LoopbackReceiverError(.invalidPath) }
        try Task.checkCancellation()
        // The listener and its connections share one event loop.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: URL.self)
        let connections = Lock<[ObjectIdentifier: any Channel]>([:])
        let exchange = Lock(LoopbackExchange(literal: receiver.address.literal, path: receiver.path))
        let channel: any Channel
        do {
            channel = try await Self.bootstrap(
                on: loop, limits: receiver.limits, connections: connections, exchange: exchange, promise: promise
            ).bind(to: SocketAddress(ipAddress: receiver.address.ip, port: Int(receiver.port))).get()
        } catch {
            promise.fail(error)
            throw LoopbackReceiverError(.cannotListen, underlying: error)
        }
        exchange.withLock { $0.listen(on: channel.localAddress?.port ?? 0) }
        (self.channel, self.connections, self.exchange, self.promise) = (channel, connections, exchange, promise)
        deadline = channel.eventLoop.scheduleTask(in: TimeAmount(receiver.timeout)) {
            promise.fail(SignInError(.expired, detail: "no callback came before the timeout; sign in again"))
        }
    }

    /// Starts the sign-in, shows its page and waits for the callback.
    func callback(
        for start: @Sendable (String) async throws -> PendingSignIn, show: @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        try await withoutActuallyEscaping(start) { start in
            try await withoutActuallyEscaping(show) { show in
                try await withThrowingTaskGroup(of: URL?.self) { group in
                    group.addTask {
                        try await show(try await self.begin(start))
                        return nil
                    }
                    group.addTask { try await self.firstCallback() }
                    defer { group.cancelAll() }
                    while let finished = try await group.next() {
                        if let callback = finished { return callback }
                    }
                    throw CancellationError()
                }
            }
        }
    }

    /// Stops listening, and returns when the port is free and all connections are closed.
    func close() async {
        deadline.cancel()
        promise.fail(CancellationError())
        try? await channel.close()
        for connection in connections.withLock({ Array($0.values) }) {
            connection.close(promise: nil)
            try? await connection.closeFuture.get()
        }
    }

    private func begin(_ start: @Sendable (String) async throws -> PendingSignIn) async throws -> URL {
        let redirectURI = exchange.withLock(\.redirectURI)
        let pending = try await start(redirectURI)
        guard pending.redirectURI == redirectURI else { throw LoopbackReceiverError(.otherRedirectURI) }
        exchange.withLock { $0.begin(pending) }
        return pending.url
    }

    private func firstCallback() async throws -> URL {
        try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }
}

// MARK: - Channels

extension LoopbackListener {
    private static func bootstrap(
        on loop: any EventLoop, limits: LoopbackLimits, connections: Lock<[ObjectIdentifier: any Channel]>,
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
                        LoopbackConnections(limit: limits.connections, channels: connections))
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
                        LoopbackHandler(exchange: exchange, callback: promise),
                    ])
                }
            }
    }
}

extension LoopbackReceiver.Address {
    fileprivate var ip: String { self == .ipv4 ? "127.0.0.1" : "::1" }
    fileprivate var literal: String { self == .ipv4 ? "127.0.0.1" : "[::1]" }
}

/// Limits the number of open connections. Further ones wait in the system's queue until one has ended.
final class LoopbackConnections: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private let channels: Lock<[ObjectIdentifier: any Channel]>
    private var isWaiting = false

    init(limit: Int, channels: Lock<[ObjectIdentifier: any Channel]>) {
        (self.limit, self.channels) = (limit, channels)
    }

    func read(context: ChannelHandlerContext) {
        if channels.withLock({ $0.count }) < limit { context.read() } else { isWaiting = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
            channels.withLock { $0[id] = nil }
            guard isWaiting, context.channel.isActive else { return }
            isWaiting = false
            context.read()
        }
        context.fireChannelRead(data)
    }
}
#endif
