// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import TestServers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A pseudo-terminal.
struct Terminal {
    /// The end for a program.
    let inside: FileHandle
    private let outside: FileHandle
    private let lines: AsyncStream<String>

    init() throws {
        var (outer, inner): (Int32, Int32) = (-1, -1)
        guard launching({ openpty(&outer, &inner, nil, nil, nil) }) == 0 else { throw CocoaError(.fileReadUnknown) }
        inside = FileHandle(fileDescriptor: inner, closeOnDealloc: false)
        outside = FileHandle(fileDescriptor: outer, closeOnDealloc: false)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread { [outer] in
            var (pending, byte) = ([UInt8](), UInt8(0))
            // It fails once the program has closed its end.
            while case let count = read(outer, &byte, 1), count == 1 || (count < 0 && errno == EINTR) {
                guard count == 1 else { continue }
                guard byte == 0x0A else {
                    pending.append(byte)
                    continue
                }
                line.yield(String(decoding: pending, as: UTF8.self))
                pending = []
            }
            line.finish()
        }
    }

    func type(_ line: String) throws { try outside.write(contentsOf: Data((line + "\n").utf8)) }

    /// The next line with this in it.
    func line(with text: String) async throws -> String {
        for await line in lines where line.contains(text) {
            return line.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        throw Program.NeverSaid(text: "")
    }
}

/// Reads where a page leads, and does not go there.
final class Redirect: NSObject, URLSessionTaskDelegate {
    static func target(of page: String) async throws -> String {
        let session = URLSession(configuration: .ephemeral, delegate: Redirect(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        guard let url = URL(string: page) else { throw URLError(.badURL) }
        let (_, response) = try await session.data(from: url)
        guard let target = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location") else {
            throw URLError(.badServerResponse)
        }
        return target
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}
