// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore

/// A request's head is longer than it may be.
struct LoopbackHeadTooLong: Error {}

/// Lets so many bytes of a connection through: a connection has one request, and that has no body.
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
