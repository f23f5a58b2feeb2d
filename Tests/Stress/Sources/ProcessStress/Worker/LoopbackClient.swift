// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorization

/// Calls the server. It has only the HTTP that a worker needs, so that a process starts in a few milliseconds.
final class LoopbackClient: Sendable {
    typealias Answer = (status: Int, body: Data)

    private let port: UInt16
    private let process: ProcessName
    /// Sockets block these threads, not those of Swift's pool.
    private let queue = DispatchQueue(label: "client", attributes: .concurrent)

    init(port: UInt16, process: ProcessName) {
        self.port = port
        self.process = process
    }

    /// Sends a request on a new connection, and reads the answer. It does not retry.
    ///
    /// - Parameter beforeSend: called when the connection is open.
    /// - Throws: `TokenTransportError`.
    func send(
        _ path: String, fields: [String: String] = [:], form: [String: String] = [:],
        beforeSend: @escaping @Sendable () -> Void = {}
    ) async throws -> Answer {
        let body = form.map { "\($0)=\($1)" }.joined(separator: "&")
        let fields = fields.merging(["User-Agent": "\(process)", "Content-Length": "\(body.utf8.count)"]) { $1 }
        let head = "POST \(path) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        let port = port
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result { try Self.exchange(Array((head + body).utf8), port: port, beforeSend: beforeSend) })
            }
        }
    }

    // MARK: -

    private static func exchange(
        _ request: [UInt8], port: UInt16, beforeSend: () -> Void
    ) throws -> Answer {
        let socket: Int32
        do {
            socket = try Sockets.connect(port: port)
        } catch {
            throw TokenTransportError(.unreachable, delivery: .notSent, underlying: error)
        }
        defer { close(socket) }
        beforeSend()
        guard Sockets.write(request, to: socket) else {
            throw TokenTransportError(.connectionLost, delivery: .mayHaveBeenProcessed)
        }
        var buffer: [UInt8] = []
        while let bytes = Sockets.read(socket) {
            buffer += bytes
            if let answer = answer(in: buffer) { return answer }
        }
        throw TokenTransportError(.connectionLost, delivery: .mayHaveBeenProcessed)
    }

    /// - Returns: `nil` if the answer has not arrived completely.
    private static func answer(in buffer: [UInt8]) -> Answer? {
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let words = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: /[ \r\n]+/)
        let body = buffer[end.upperBound...]
        guard words.count > 1, let status = Int(words[1]), let length = words.last.flatMap({ Int($0) }),
            body.count >= length
        else { return nil }
        return (status, Data(body))
    }
}
