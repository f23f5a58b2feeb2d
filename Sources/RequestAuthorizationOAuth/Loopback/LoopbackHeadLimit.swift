// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if LoopbackReceiver
import NIOCore

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
