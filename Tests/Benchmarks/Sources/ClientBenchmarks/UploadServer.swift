// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Lends a server on loopback that reads each request to its end and answers with five bytes.
///
/// - Parameter certificate: the server's certificate for TLS; `nil` for a server without TLS.
func withUploadServer<Result: Sendable>(
    certificate: SelfMadeCertificate?, body: (URL) async throws -> Result
) async throws -> Result {
    let tls = try certificate.map { certificate in
        var configuration = try TLSConfiguration.makeServerConfiguration(
            certificateChain: NIOSSLCertificate.fromPEMFile(certificate.file).map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyFile, format: .pem)))
        // Idle connections of a client that is gone end at once with the server.
        configuration.shutdownTimeout = .zero
        return try NIOSSLContext(configuration: configuration)
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Answering())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let authority = "127.0.0.1:\(listener.localAddress?.port ?? 0)"
        guard let url = URL(string: "\(tls == nil ? "http" : "https")://\(authority)/v1/widgets") else {
            throw URLError(.badURL)
        }
        let result = try await body(url)
        try await group.shutdownGracefully()
        return result
    } catch {
        try await group.shutdownGracefully()
        throw error
    }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let head = HTTPResponseHead(
            version: .http1_1, status: .ok, headers: ["Content-Type": "text/plain", "Content-Length": "5"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    /// A client may close the connection without closing TLS first.
    func errorCaught(context: ChannelHandlerContext, error _: any Error) { context.close(promise: nil) }
}
#endif
