// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore
import RequestAuthorization

/// Limits the number of open connections. Further ones wait in the system's queue until one has ended.
final class LoopbackConnections: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private let channels: Lock<[ObjectIdentifier: any Channel]>
    private var isWaiting = false

    init(limit: Int, channels: Lock<[ObjectIdentifier: any Channel]>) {
        self.limit = limit
        self.channels = channels
    }

    func read(context: ChannelHandlerContext) {
        if channels.withLock({ $0.count }) < limit {
            context.read()
        } else {
            isWaiting = true
        }
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
