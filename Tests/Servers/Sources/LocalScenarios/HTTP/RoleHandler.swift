// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import FlyingFox
import Foundation
import LoopbackHTTP

/// Passes the requests of one port to the stage.
private struct RoleHandler: HTTPHandler {
    let role: Role
    let stage: Stage

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        var call = Call(role: role, method: request.method.rawValue, path: request.path)
        call.query = Parameters(request.target.query())
        for (header, value) in request.headers {
            let name = header.rawValue.lowercased()
            call.fields[name] = [call.fields[name], value].compactMap(\.self).joined(separator: ", ")
        }
        call.body = try await request.bodyData
        let answer = await stage.answer(call)
        var headers = HTTPHeaders()
        for (name, value) in answer.fields { headers.setValues([value], for: HTTPHeader(name)) }
        return HTTPResponse(
            statusCode: HTTPStatusCode(answer.status, phrase: "\(answer.status)"), headers: headers, body: answer.body)
    }
}

/// Listens on a port of 127.0.0.1 for each role while the closure runs.
func serve<Success>(
    _ roles: ArraySlice<Role>, on stage: Stage, _ bases: [Role: String] = [:],
    _ body: ([Role: String]) async throws -> Success
) async throws -> Success {
    guard let role = roles.first else { return try await body(bases) }
    return try await HTTPServer.serve(RoleHandler(role: role, stage: stage)) { url in
        let known = bases.merging([role: url.absoluteString]) { $1 }
        return try await serve(roles.dropFirst(), on: stage, known, body)
    }
}
#endif
