// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore

/// The open connections, oldest first, and which of them gives way to a new one.
struct LoopbackConnections {
    /// How far a connection has come.
    private enum Stage {
        /// Its request has no whole head yet.
        case reading
        /// It has its answer, and the client has not closed it yet.
        case answered
        /// It brought the callback, whose page is being sent.
        case callback
        /// It has given way, and its socket is being closed.
        case closing
    }

    private var entries: [(channel: any Channel, stage: Stage)] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var all: [any Channel] { entries.map(\.channel) }

    /// Whether a further connection may be accepted: there is room, or one will give way.
    var hasRoom: Bool { open < limit || givesWay != nil }

    /// Adds a connection, and returns the one to close for it if there are too many.
    mutating func add(_ channel: any Channel) -> (any Channel)? {
        defer { entries.append((channel, .reading)) }
        guard open >= limit, let place = givesWay else { return nil }
        entries[place].stage = .closing
        return entries[place].channel
    }

    mutating func remove(_ channel: any Channel) { entries.removeAll { $0.channel === channel } }

    /// Notes that a request has been answered.
    mutating func answered(_ channel: any Channel, isCallback: Bool) {
        guard let place = entries.firstIndex(where: { $0.channel === channel && $0.stage == .reading }) else { return }
        entries[place].stage = isCallback ? .callback : .answered
    }

    // MARK: -

    private var open: Int { entries.count { $0.stage != .closing } }

    /// The oldest connection without a whole head; else the oldest one that has its answer.
    private var givesWay: Int? {
        entries.firstIndex { $0.stage == .reading } ?? entries.firstIndex { $0.stage == .answered }
    }
}

/// Accepts connections, so that a slow client keeps no other one out for long.
final class LoopbackAdmission: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let connections: Lock<LoopbackConnections>
    private var isWaiting = false

    init(connections: Lock<LoopbackConnections>) { self.connections = connections }

    func read(context: ChannelHandlerContext) {
        if connections.withLock(\.hasRoom) { context.read() } else { isWaiting = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        connections.withLock { $0.add(channel) }?.close(promise: nil)
        channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
            connections.withLock { $0.remove(channel) }
            guard isWaiting, context.channel.isActive else { return }
            isWaiting = false
            context.read()
        }
        context.fireChannelRead(data)
    }
}
#endif
