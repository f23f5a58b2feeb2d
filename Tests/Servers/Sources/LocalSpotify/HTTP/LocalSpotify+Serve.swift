// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FlyingFox
public import Foundation
import LoopbackHTTP

extension LocalSpotify {
    /// Listens on 127.0.0.1 while the closure runs, and then closes all connections.
    ///
    /// - Parameters:
    ///   - port: the port, or 0 for any free one.
    ///   - body: gets the base URL, for instance `http://127.0.0.1:40123`.
    /// - Throws: the error of the closure, or the reason why the server cannot listen.
    public nonisolated func serve<Success>(
        port: UInt16 = 0, _ body: (URL) async throws -> Success
    ) async throws -> Success {
        try await HTTPServer.serve(ServiceHandler(spotify: self), port: port, body)
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

/// Closes a connection without an answer: the server closes it when the protocol upgrade fails, before it writes a
/// byte.
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
