// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import LoopbackServer
import NIOSSL
import RequestAuthorizationAsyncHTTPClient

/// `HTTPClient.execute(_:timeout:authorizedBy:)`.
struct AsyncHTTPClientClient: TestedClient {
    private let client: HTTPClient
    private let followsRedirects: Bool

    init(followsRedirects: Bool, connections: Int, trusting certificate: SelfMadeCertificate?) {
        client = .forScenarios(
            followsRedirects: followsRedirects, connections: connections, trusting: certificate)
        self.followsRedirects = followsRedirects
    }

    var lacks: [Capability: String] {
        followsRedirects
            ? [
                .customFields: """
                Nothing is sent: after a redirect the client would send the field to another host. Make the client with \
                its redirects off (`redirectsFollowed`).
                """
            ]
            : [.redirects: "This client was made with its redirects off: the redirect is returned."]
    }

    func send(_ call: Call, authorizedBy provider: any AuthorizationProvider) async throws -> Reply {
        let response = try await client.execute(
            HTTPClientRequest(call), timeout: .seconds(300), authorizedBy: provider, refreshCount: call.refreshCount,
            clientFollowsRedirects: followsRedirects)
        return Reply(response, body: try await response.body.collect(upTo: 1 << 28).readableBytesView)
    }

    func isOwn(_ error: any Error) -> Bool { !error.isOurs }

    func close() async throws { try await client.shutdown() }
}

/// The core's `send` around a client of which it knows nothing: async-http-client, set to follow no redirects.
struct AnyClient: TestedClient {
    private let client: HTTPClient

    init(connections: Int, trusting certificate: SelfMadeCertificate?) {
        client = .forScenarios(followsRedirects: false, connections: connections, trusting: certificate)
    }

    let lacks: [Capability: String] = [
        .redirects: "`send` sees only the client's result: make the client with its redirects off.",
        .allAnswers:
            "`send` with `unauthorized:` shows the provider only refusals. Without it the provider gets every answer.",
    ]

    func send(_ call: Call, authorizedBy provider: any AuthorizationProvider) async throws -> Reply {
        let (response, body) = try await provider.send(
            HTTPClientRequest(call), refreshCount: call.refreshCount, unauthorized: { $0.0.unauthorized },
            transport: { request in
                let response = try await client.execute(request, timeout: .seconds(300))
                return (response, try await response.body.collect(upTo: 1 << 28))
            })
        return Reply(response, body: body.readableBytesView)
    }

    func isOwn(_ error: any Error) -> Bool { !error.isOurs }

    func close() async throws { try await client.shutdown() }
}

extension HTTPClient {
    fileprivate static func forScenarios(
        followsRedirects: Bool, connections: Int, trusting certificate: SelfMadeCertificate?
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: followsRedirects ? nil : .disallow)
        if let certificate {
            configuration.tlsConfiguration = .clientDefault
            configuration.tlsConfiguration?.trustRoots = .file(certificate.file)
        }
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.connectionPool.retryConnectionEstablishment = false
        // Also the limit for waiting for a connection: longer than any machine is busy.
        configuration.timeout.connect = .seconds(300)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

extension HTTPClientRequest {
    fileprivate init(_ call: Call) {
        self.init(url: call.url.absoluteString)
        method = HTTPMethod(rawValue: call.method)
        for (name, value) in call.fields { headers.add(name: name, value: value) }
        switch call.body {
        case .none: break
        case .bytes(let bytes): body = .bytes(ByteBuffer(bytes: bytes))
        case .once(let bytes):
            let (parts, continuation) = AsyncStream<ByteBuffer>.makeStream()
            continuation.yield(ByteBuffer(bytes: bytes))
            continuation.finish()
            body = .stream(parts, length: .unknown)
        }
    }
}

extension Error {
    /// Whether it is an error of the core. The client throws errors of many types, also those of the network.
    fileprivate var isOurs: Bool { self is NotAuthorized || self is RefreshFailed || self is CancellationError }
}
#endif
