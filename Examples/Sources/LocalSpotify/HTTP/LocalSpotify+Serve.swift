// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FlyingFox
import FlyingSocks
public import Foundation

extension LocalSpotify {
    /// Listens on 127.0.0.1 as long as the closure runs, then ends all connections.
    ///
    /// FlyingFox 0.27 leaves one descriptor open on Linux, the `eventfd` that ends its wait, with each server that has ended.
    ///
    /// - Parameters:
    ///   - port: any free one if 0.
    ///   - body: gets the base of all addresses, for instance `http://127.0.0.1:40123`.
    /// - Throws: what the closure throws, or what kept the server from listening.
    public nonisolated func serve<Success>(
        port: UInt16 = 0, _ body: (URL) async throws -> Success
    ) async throws -> Success {
        // `.inet(ip4:)`: `.loopback` does not answer on 127.0.0.1 on Linux. No handler is ended by a time-out: a call hangs.
        let configuration = HTTPServer.Configuration(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: 86400, logger: .disabled)
        let server = HTTPServer(config: configuration, handler: ServiceHandler(spotify: self))
        return try await withThrowingTaskGroup { group in
            group.addTask { try await server.run() }
            group.addTask { try await server.waitUntilListening() }
            try await group.next()
            do {
                let success = try await body(try await server.baseURL)
                await server.stop()
                return success
            } catch {
                await server.stop()
                throw error
            }
        }
    }
}

extension HTTPServer {
    fileprivate var baseURL: URL {
        get throws {
            guard case .ip4(let host, let port) = listeningAddress, let url = URL(string: "http://\(host):\(port)")
            else { throw SocketError.unsupportedAddress }
            return url
        }
    }
}

/// Translates between the HTTP server and the services.
private struct ServiceHandler: HTTPHandler {
    let spotify: LocalSpotify

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let answer = try await spotify.answer(to: try await Call(request)) else {
            return HTTPResponse(webSocket: Hangup())
        }
        var headers = HTTPHeaders()
        for (name, value) in answer.fields { headers.setValues([value], for: HTTPHeader(name)) }
        return HTTPResponse(
            statusCode: HTTPStatusCode(answer.status, phrase: "\(answer.status)"), headers: headers, body: answer.body)
    }
}

/// Ends a connection without an answer: the server closes it when the change of protocol fails, before a byte is written.
private struct Hangup: WSHandler {
    struct HungUp: Error {}

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw HungUp()
    }
}

extension Call {
    fileprivate init(_ request: HTTPRequest) async throws {
        self.init(method: request.method.rawValue, path: request.path)
        base = "http://" + (request.headers[.host] ?? "127.0.0.1")
        query = Parameters(request.target.query())
        authorization = request.headers[.authorization]
        cookies = Call.cookies(in: request.headers[.cookie] ?? "")
        origin = request.headers[HTTPHeader("Origin")]
        fetchSite = request.headers[HTTPHeader("Sec-Fetch-Site")]
        body = try await request.bodyData
        if request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
            form = Parameters(String(decoding: body, as: UTF8.self))
        }
    }
}
