// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
package import Foundation

/// A server on loopback that answers with the bytes of a script and records every request.
///
///     try await withServer { request in .text("hello") } body: { server in
///         let (data, _) = try await session.data(from: server.url("/"))
///     }
///
/// All it does of HTTP is to find the end of a request.
package actor RawServer {
    package typealias Script = @Sendable (RawRequest) async throws -> Answer

    package nonisolated let port: Int
    /// The requests in order of arrival.
    package private(set) var requests: [RawRequest] = []
    package private(set) var connections = 0
    /// The number of connections that the client has closed.
    package private(set) var departures = 0
    /// The client's ports of all connections.
    private var peers: Set<UInt16> = []
    private var waiters: [(isMet: (isolated RawServer) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    private let listener: AsyncSocket
    private let script: Script
    private let greeting: String?

    /// - Parameter greeting: sent as soon as a client connects. Then the connection is closed.
    package init(greeting: String?, script: @escaping Script) async throws {
        let socket = try Socket(domain: AF_INET, type: .stream)
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
        try socket.listen()
        guard let port = try socket.sockname().port else { throw SocketError.unsupportedAddress }
        self.port = Int(port)
        self.script = script
        self.greeting = greeting
        listener = try await AsyncSocket(socket: socket, pool: .client)
    }

    /// Accepts connections until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled, let socket = try? await listener.accept() {
                connections += 1
                if let peer = try? socket.socket.remotePeer().port { peers.insert(peer) }
                wakeWaiters()
                let number = connections
                group.addTask { await self.serve(socket, number: number) }
            }
        }
        try? listener.close()
    }

    /// Returns as soon as this number of requests has arrived.
    package func waitForRequests(_ count: Int) async { await wait { $0.requests.count >= count } }

    /// Returns as soon as the client has closed this number of connections.
    package func waitForDepartures(_ count: Int) async { await wait { $0.departures >= count } }

    /// Returns as soon as the client has closed all connections that it has begun, also those that the server has not
    /// accepted yet. The server must not have closed any itself.
    package func waitForAllDepartures() async throws {
        // Connections are accepted in order, so one that begins now is the last.
        let last = try await RawConnection.open(port: UInt16(port))
        let peer = try last.port
        await wait { $0.peers.contains(peer) }
        try last.close()
        await wait { $0.departures == $0.connections }
    }

    package nonisolated func url(_ path: String, host: String = "127.0.0.1", scheme: String = "http") -> URL {
        URL(on: port, path, host: host, scheme: scheme)
    }

    private func serve(_ socket: AsyncSocket, number: Int) async {
        let isLeft = await converse(on: socket, number: number)
        try? socket.close()
        guard isLeft else { return }
        departures += 1
        wakeWaiters()
    }

    /// - Returns: `true` if the client closed the connection or it broke.
    private func converse(on socket: AsyncSocket, number: Int) async -> Bool {
        do {
            if let greeting {
                try await socket.write(Data(greeting.utf8))
                return false
            }
            var reader = RequestReader(socket: socket, connection: number)
            while let request = try await reader.next() {
                requests.append(request)
                wakeWaiters()
                for step in try await script(request).steps {
                    switch step {
                    case .send(let bytes): try await socket.write(Data(bytes))
                    case .pause(let duration): try await Task.sleep(for: duration)
                    case .call(let body): body()
                    case .drop: return false
                    }
                }
            }
        } catch {}
        return true
    }

    private func wait(until isMet: @escaping (isolated RawServer) -> Bool) async {
        guard !isMet(self) else { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }

    private func wakeWaiters() {
        let met = waiters.filter { $0.isMet(self) }
        waiters.removeAll { $0.isMet(self) }
        for waiter in met { waiter.continuation.resume() }
    }
}

extension Socket.Address {
    var port: UInt16? {
        switch self {
        case .ip4(_, let port), .ip6(_, let port): port
        case .unix: nil
        }
    }
}

/// Runs a server while the body runs.
package func withServer<Result: Sendable>(
    greeting: String? = nil, _ script: @escaping RawServer.Script, body: (RawServer) async throws -> Result
) async throws -> Result {
    let server = try await RawServer(greeting: greeting, script: script)
    let running = Task { await server.run() }
    defer { running.cancel() }
    return try await body(server)
}
#endif
