// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Fleet
import Foundation
import Synchronization

/// A loopback proxy between the replicas and their database. It can swallow data on demand.
final class SwallowingProxy: Sendable {
    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    private let wakeUp: Channel
    private let orders = Mutex(Orders())

    private struct Orders {
        var swallows = false
        var isStopped = false
    }

    init(to target: UInt16) throws {
        self.target = target
        (listener, port) = try Sockets.listen()
        wakeUp = try Channel()
    }

    /// Serves on its own thread until ``stop()``.
    func start() {
        Thread { self.run() }.start()
    }

    func stop() {
        orders.withLock { $0.isStopped = true }
        wakeUp.finish()
    }

    /// With `true`, half of the open connections, at random, carry no more data until their client ends them. The same
    /// holds for new connections until `false` is passed.
    func swallow(_ swallows: Bool) {
        orders.withLock { $0.swallows = swallows }
        if swallows { wakeUp.write("s") }
    }

    // MARK: - The thread

    private struct Pair {
        let client: Int32
        let server: Int32
        var isSwallowed = false
        var hasServer = true
    }

    private func run() {
        var pairs: [Pair] = []
        while !orders.withLock(\.isStopped) {
            var files = [listener, wakeUp.far.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            for pair in pairs {
                files.append(pollfd(fd: pair.client, events: Int16(POLLIN), revents: 0))
                if pair.hasServer { files.append(pollfd(fd: pair.server, events: Int16(POLLIN), revents: 0)) }
            }
            guard poll(&files, nfds_t(files.count), -1) >= 0 || errno == EINTR else { break }
            let ready = Set(files.filter { $0.revents != 0 }.map(\.fd))
            pairs = pairs.compactMap { carry($0, ready) }
            if ready.contains(wakeUp.far.number), Sockets.read(wakeUp.far.number) != nil {
                for index in pairs.indices where Bool.random() { pairs[index].isSwallowed = true }
            }
            if ready.contains(listener), let pair = accept() { pairs.append(pair) }
        }
        for pair in pairs { end(pair) }
        close(listener)
    }

    private func accept() -> Pair? {
        guard let client = Sockets.accept(listener) else { return nil }
        guard let server = try? Sockets.connect(port: target) else {
            close(client)
            return nil
        }
        return Pair(client: client, server: server, isSwallowed: orders.withLock(\.swallows) && Bool.random())
    }

    /// - Returns: the connection afterwards, or `nil` if it is over.
    private func carry(_ pair: Pair, _ ready: Set<Int32>) -> Pair? {
        var pair = pair
        if ready.contains(pair.client) {
            guard let bytes = Sockets.read(pair.client), pair.isSwallowed || Sockets.write(bytes, to: pair.server)
            else {
                return end(pair)
            }
        }
        if pair.hasServer, ready.contains(pair.server) {
            if let bytes = Sockets.read(pair.server) {
                if !pair.isSwallowed, !Sockets.write(bytes, to: pair.client) { return end(pair) }
            } else {
                // A swallowed connection does not even tell its client about the end.
                guard pair.isSwallowed else { return end(pair) }
                close(pair.server)
                pair.hasServer = false
            }
        }
        return pair
    }

    @discardableResult
    private func end(_ pair: Pair) -> Pair? {
        close(pair.client)
        if pair.hasServer { close(pair.server) }
        return nil
    }
}
#endif
