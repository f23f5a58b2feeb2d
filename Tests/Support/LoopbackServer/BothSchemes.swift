// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import RequestAuthorization

/// A port that serves both `http` and `https`, so that two URLs differ in their scheme only.
package struct BothSchemes: Sendable {
    package let port: Int
    fileprivate let seen: Lock<[String]>

    /// The scheme of each connection, in order.
    package var schemes: [String] { seen.withLock { $0 } }

    package func url(_ path: String, scheme: String) -> URL { URL(on: port, path, scheme: scheme) }
}

/// Runs a proxy before a server while the body runs. The server reads and writes plain text.
package func withBothSchemes<Result: Sendable>(
    before server: RawServer, certificate: SelfMadeCertificate, body: (BothSchemes) async throws -> Result
) async throws -> Result {
    let tls = try NIOSSLContext(
        configuration: .makeServerConfiguration(
            certificateChain: NIOSSLCertificate.fromPEMFile(certificate.file).map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyFile, format: .pem))))
    let seen = Lock<[String]>([])
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(TLSIfSpoken(tls: tls, seen: seen))
                return try Wire(wrappingChannelSynchronously: channel)
            }
        }
    let relaying = Task {
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { try? await relay(connection, to: server.port) }
                }
            }
        }
    }
    defer { relaying.cancel() }
    return try await body(BothSchemes(port: listener.channel.localAddress?.port ?? 0, seen: seen))
}

private typealias Wire = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Relays bytes in both directions until one side closes its connection.
private func relay(_ client: Wire, to port: Int) async throws {
    try await client.executeThenClose { fromClient, toClient in
        let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Wire(wrappingChannelSynchronously: channel) }
            }
        try await server.executeThenClose { fromServer, toServer in
            try await withThrowingTaskGroup { group in
                group.addTask { for try await bytes in fromClient { try await toServer.write(bytes) } }
                group.addTask { for try await bytes in fromServer { try await toClient.write(bytes) } }
                _ = try await group.next()
                group.cancelAll()
            }
        }
    }
}

/// Adds TLS if the first byte of a connection is 22, which begins a TLS handshake (RFC 8446 §5.1).
private final class TLSIfSpoken: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let tls: NIOSSLContext
    private let seen: Lock<[String]>

    init(tls: NIOSSLContext, seen: Lock<[String]>) { (self.tls, self.seen) = (tls, seen) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let isTLS = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 22
        seen.withLock { $0.append(isTLS ? "https" : "http") }
        let pipeline = context.pipeline.syncOperations
        do {
            if isTLS { try pipeline.addHandler(NIOSSLServerHandler(context: tls), position: .after(self)) }
        } catch {
            return context.fireErrorCaught(error)
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }
}
#endif
