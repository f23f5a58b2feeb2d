// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting

@testable import SpotifyWebAPI

/// Answers requests in order, and records them.
actor ScriptedServer {
    struct Reply: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        var body = ""

        static func json(_ body: String) -> Reply { Reply(body: body) }
        static func status(_ status: Int, _ body: String = "", _ fields: [String: String] = [:]) -> Reply {
            Reply(status: status, fields: fields, body: body)
        }
    }

    struct Sent: Hashable, Sendable, CustomStringConvertible {
        let method: String
        let target: String
        var body = ""

        init(_ method: String, _ target: String, _ body: String = "") {
            (self.method, self.target, self.body) = (method, target, body)
        }

        var description: String { "\(method) \(target) \(body)" }
    }

    private var replies: [Reply]
    private(set) var sent: [Sent] = []

    init(_ replies: Reply...) { self.replies = replies }

    func append(_ reply: Reply) { replies.append(reply) }

    fileprivate func reply(to request: URLRequest) throws -> (Data, URLResponse) {
        let url = request.url?.absoluteString ?? ""
        sent.append(
            Sent(
                request.httpMethod ?? "", url.replacing("https://api.spotify.com", with: ""),
                String(decoding: request.httpBody ?? Data(), as: UTF8.self)))
        guard !replies.isEmpty, let address = request.url else { throw URLError(.badServerResponse) }
        let reply = replies.count == 1 ? replies[0] : replies.removeFirst()
        guard
            let response = HTTPURLResponse(
                url: address, statusCode: reply.status, httpVersion: nil, headerFields: reply.fields)
        else { throw URLError(.badServerResponse) }
        return (Data(reply.body.utf8), response)
    }

    /// A client that calls this server.
    nonisolated func client(
        _ quota: QuotaMode = .development, rateLimit: RateLimitPolicy = RateLimitPolicy(),
        clock: any AuthorizationClock = ManualClock(), allowed scopes: Set<String>? = nil
    ) throws -> SpotifyClient {
        guard let base = URL(string: "https://api.spotify.com") else { throw URLError(.badURL) }
        return SpotifyClient(base: base, quota: quota, rateLimit: rateLimit, clock: clock) { wanted in
            scopes.map { wanted.subtracting($0) } ?? []
        } send: {
            try await self.reply(to: $0)
        }
    }
}
