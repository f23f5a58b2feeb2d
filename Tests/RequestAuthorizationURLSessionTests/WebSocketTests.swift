// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingFox
import FlyingSocks
import Foundation
import LoopbackServer
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of `Documentation/Guide/LongLived.md`, with sockets of the platform.
@Suite(.timeLimit(.minutes(5))) struct WebSocketTests {
    @Test(.enabled("URLSession has no WebSockets here: its libcurl lacks them") { try await WebSockets.areSupported })
    func `a socket is authorized at the start and each time it is opened again`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"), .token("c"))
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        // The server refuses `a`, ends a session of `b` as if it had expired, and goes on with `c`.
        let server = SocketServer { $0 == "Bearer b" ? .closesAsExpired : $0 == "Bearer c" ? .closes : .refuses }
        let received = Lock<[String]>([])
        try await server.run { url in
            let listening = Task {
                try await listen(
                    to: URLRequest(url: url), on: .shared, authorizedBy: auth, pause: .zero
                ) { message in
                    guard case .string(let text) = message else { return }
                    let count = received.withLock { texts in
                        texts.append(text)
                        return texts.count
                    }
                    if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            await #expect(throws: CancellationError.self) { try await listening.value }
        }
        #expect(received.withLock { $0 } == ["Bearer b", "Bearer c", "Bearer c"])
        #expect(await server.credentials == ["Bearer a", "Bearer b", "Bearer c", "Bearer c"])
        #expect(service.calls == 2)
    }

    @Test(.enabled("URLSession has no WebSockets here: its libcurl lacks them") { try await WebSockets.areSupported })
    func `a socket that is refused after the refresh too is given up`() async throws {
        let service = ScriptedTokenService<TestToken>(.token("b"))
        let auth = RefreshableTokenAuthorization(service: service, token: TestToken("a"), clock: ManualClock())
        let server = SocketServer { _ in .refuses }
        try await server.run { url in
            await #expect(throws: URLError.self) {
                try await listen(to: URLRequest(url: url), on: .shared, authorizedBy: auth, pause: .zero) { _ in }
            }
        }
        #expect(await server.credentials == ["Bearer a", "Bearer b"])
    }

    @Test(.disabled("URLSession has WebSockets here") { try await WebSockets.areSupported })
    func `where URLSession has no WebSockets, it fails at once`() async throws {
        try await withHeldPort { port in
            let request = URLRequest(url: port.url("/", scheme: "ws"))
            let error = await #expect(throws: URLError.self) {
                try await listen(to: request, on: .shared, authorizedBy: .bearer("a"), pause: .zero) { _ in }
            }
            #expect(error?.code == .unsupportedURL)
        }
    }
}

// sample: websocket
/// Delivers the messages of a socket. When it closes it is opened again, with a credential that is valid then.
func listen(
    to request: URLRequest, on session: URLSession, authorizedBy auth: some AuthorizationProvider, pause: Duration,
    receive: (URLSessionWebSocketTask.Message) async -> Void
) async throws {
    while true {
        // One call of `send` for each time: after a refusal it refreshes once, and opens the socket once more.
        let end = try await auth.send(request, unauthorized: \.refusal) { authorized in
            let socket = session.webSocketTask(with: authorized)
            return await withTaskCancellationHandler {
                socket.resume()
                do {
                    while true { await receive(try await socket.receive()) }
                } catch {
                    return SocketEnd(socket, error)
                }
            } onCancel: {
                socket.cancel(with: .goingAway, reason: nil)
            }
        }
        try Task.checkCancellation()
        guard end.wasOpen else { throw end.error }
        try await Task.sleep(for: pause)
    }
}

struct SocketEnd {
    let error: any Error
    let wasOpen: Bool
    /// The server's answer, if it wants another credential: 401 instead of 101, or the close code 1008 later on.
    let refusal: UnauthorizedResponse?

    init(_ socket: URLSessionWebSocketTask, _ error: any Error) {
        let response = socket.response as? HTTPURLResponse
        self.error = error
        wasOpen = response?.statusCode == 101
        refusal = socket.closeCode == .policyViolation ? UnauthorizedResponse() : response?.unauthorized
    }
}
// end sample

// MARK: - The server, and whether there is a client

private enum WebSockets {
    /// On Linux it depends on the libcurl that is found at run time.
    static var areSupported: Bool {
        get async throws {
            try await withHeldPort { port in
                let socket = URLSession.shared.webSocketTask(with: port.url("/", scheme: "ws"))
                socket.resume()
                do {
                    _ = try await socket.receive()
                    return true
                } catch {
                    return (error as? URLError)?.code != .unsupportedURL
                }
            }
        }
    }
}

/// Sends back the credential of the handshake, as the one message of a session.
private actor SocketServer: WSMessageHandler {
    enum Manner { case refuses, closes, closesAsExpired }

    private(set) var credentials: [String] = []
    private let manner: @Sendable (String) -> Manner

    init(manner: @escaping @Sendable (String) -> Manner) { self.manner = manner }

    func run(body: (URL) async throws -> Void) async throws {
        let server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0),
            handler: ClosureHTTPHandler { try await self.answer($0) })
        let running = Task { try await server.run() }
        defer { running.cancel() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else { throw SocketError.unsupportedAddress }
        try await body(try #require(URL(string: "ws://127.0.0.1:\(port)/")))
    }

    private func answer(_ request: FlyingFox.HTTPRequest) async throws -> FlyingFox.HTTPResponse {
        let credential = request.headers[.authorization] ?? ""
        credentials.append(credential)
        guard manner(credential) != .refuses else {
            return FlyingFox.HTTPResponse(
                statusCode: .unauthorized, headers: HTTPHeaders([HTTPHeader("WWW-Authenticate"): "Bearer"]))
        }
        return try await WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: self)).handleRequest(request)
    }

    func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
        let credential = credentials.last ?? ""
        let code = manner(credential) == .closesAsExpired ? WSCloseCode.policyViolation : .normalClosure
        return AsyncStream { continuation in
            continuation.yield(.text(credential))
            continuation.yield(.close(code))
            continuation.finish()
        }
    }
}
#endif
