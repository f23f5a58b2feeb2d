// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore
import NIOHTTP1

/// Answers the first request of a connection, and ignores all further input.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let exchange: Lock<LoopbackExchange>
    private let connections: Lock<LoopbackConnections>
    private let callback: EventLoopPromise<URL>
    private var hasAnswered = false

    init(
        exchange: Lock<LoopbackExchange>, connections: Lock<LoopbackConnections>, callback: EventLoopPromise<URL>
    ) {
        (self.exchange, self.connections, self.callback) = (exchange, connections, callback)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasAnswered, case .head(let head) = unwrapInboundIn(data) else { return }
        let request = LoopbackExchange.Request(
            method: head.method.rawValue, target: head.uri, hosts: head.headers["Host"])
        send(exchange.withLock { $0.answer(to: request) }, withBody: head.method != .HEAD, to: context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasAnswered else { return }
        switch error {
        case is LoopbackHeadTooLong: send(.refused(431), to: context)
        case is HTTPParserError: send(.refused(400), to: context)
        default: context.close(promise: nil)
        }
    }

    private func send(_ answer: LoopbackAnswer, withBody: Bool = true, to context: ChannelHandlerContext) {
        hasAnswered = true
        connections.withLock { $0.answered(context.channel, isCallback: answer.callback != nil) }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status),
            headers: HTTPHeaders(answer.fields.map { ($0.name, $0.value) }))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if withBody {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
        }
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if let url = answer.callback {
            // Only after the page is sent, because the end of the wait closes the connection.
            sent.whenComplete { [callback] _ in callback.succeed(url) }
        }
        // Further input is read until the client closes, so that the client's system does not drop the answer.
        context.close(mode: .output, promise: nil)
    }
}

/// The head of a request is longer than the limit.
struct LoopbackHeadTooLong: Error {}

/// Limits the bytes of a connection, which has one request without a body.
final class LoopbackHeadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var left: Int

    init(_ limit: Int) { left = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let isTooLong = bytes.readableBytes > left
        if let start = bytes.readSlice(length: min(bytes.readableBytes, left)) {
            left -= start.readableBytes
            context.fireChannelRead(wrapInboundOut(start))
        }
        if isTooLong { context.fireErrorCaught(LoopbackHeadTooLong()) }
    }
}
#endif
