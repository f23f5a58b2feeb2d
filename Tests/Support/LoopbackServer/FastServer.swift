// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingSocks
package import Foundation
import RequestAuthorization

/// A server on loopback for very many requests without bodies. It has a thread per connection and stores nothing.
///
/// A request ends with an empty line.
package final class FastServer: Sendable {
    package let port: Int

    private let listener: Socket
    private let answer: @Sendable (_ number: Int) -> Data
    private let seen = Lock(Seen())

    private struct Seen {
        var connections = 0
        var ends = 0
        var requests = 0
        var waiters: [(open: Int, continuation: CheckedContinuation<Void, Never>)] = []

        var open: Int { connections - ends }
    }

    /// - Parameter answer: makes the bytes of the answer from the number of the request, which begins at 1.
    package init(answer: @escaping @Sendable (_ number: Int) -> Data) throws {
        listener = try Socket(domain: AF_INET, type: .stream)
        try listener.setValue(true, for: .localAddressReuse)
        try listener.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
        try listener.listen()
        guard case .ip4(_, let port) = try listener.sockname() else { throw SocketError.unsupportedAddress }
        self.port = Int(port)
        self.answer = answer
    }

    /// Accepts connections until the process ends.
    package func start() {
        Thread.detachNewThread { [self] in
            while let file = try? listener.accept().file {
                seen.withLock { $0.connections += 1 }
                Thread.detachNewThread { [self] in serve(Socket(file: file)) }
            }
        }
    }

    package var connections: Int { seen.withLock { $0.connections } }
    package var requests: Int { seen.withLock { $0.requests } }

    /// Returns as soon as at most this number of connections is open.
    package func waitForOpen(atMost count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = seen.withLock { seen in
                if seen.open > count { seen.waiters.append((count, continuation)) }
                return seen.open <= count
            }
            if isMet { continuation.resume() }
        }
    }

    package func url(_ path: String) -> URL { URL(on: port, path) }

    private func serve(_ socket: Socket) {
        defer { close(socket) }
        var head: [UInt8] = []
        while let bytes = try? socket.read(atMost: 4096) {
            head += bytes
            guard head.suffix(4) == [13, 10, 13, 10] else { continue }
            head.removeAll(keepingCapacity: true)
            let number = seen.withLock { seen in
                seen.requests += 1
                return seen.requests
            }
            let answer = answer(number)
            guard let sent = try? socket.write(answer), sent == answer.endIndex else { return }
        }
    }

    private func close(_ socket: Socket) {
        try? socket.close()
        let met = seen.withLock { seen in
            seen.ends += 1
            let open = seen.open
            defer { seen.waiters.removeAll { $0.open >= open } }
            return seen.waiters.filter { $0.open >= open }
        }
        for waiter in met { waiter.continuation.resume() }
    }
}
#endif
