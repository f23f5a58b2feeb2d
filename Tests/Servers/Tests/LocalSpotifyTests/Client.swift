// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls the stand-in over a real socket, with its own connection.
struct Client {
    let url: URL
    private let session: URLSession

    init(_ url: URL) {
        self.url = url
        session = URLSession(configuration: .ephemeral)
    }

    struct Reply: Sendable {
        let status: Int
        let text: String
        let response: HTTPURLResponse

        func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

        func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(type, from: Data(text.utf8))
        }
    }

    struct Tokens: Decodable, Sendable {
        let accessToken: String
        let tokenType: String
        let expiresIn: Int
        let refreshToken: String?
        let scope: String
    }

    func get(_ path: String, token: String? = nil) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: url.absoluteString + path)))
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return try await send(request)
    }

    /// Makes a call with any method and body.
    func call(_ method: String, _ path: String, token: String, json: String? = nil) async throws -> Reply {
        var request = URLRequest(url: try #require(URL(string: url.absoluteString + path)))
        request.httpMethod = method
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if let json {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(json.utf8)
        }
        return try await send(request)
    }

    func token(_ form: String) async throws -> Reply {
        var request = URLRequest(url: url.appending(path: "api/token"))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.utf8)
        return try await send(request)
    }

    /// Exchanges a new code.
    func signIn(at spotify: LocalSpotify) async throws -> Tokens {
        try await token("grant_type=authorization_code&code=\(spotify.makeCode())").decode()
    }

    func refresh(_ refreshToken: String?) async throws -> Reply {
        try await token("grant_type=refresh_token&refresh_token=\(try #require(refreshToken))")
    }

    func send(_ request: URLRequest) async throws -> Reply {
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        return Reply(status: http.statusCode, text: String(decoding: data, as: UTF8.self), response: http)
    }
}

extension Client {
    /// Serves a stand-in, and calls it with the access token of a signed-in user.
    static func signedIn(
        _ mode: LocalSpotify.Mode = .developmentMode, scopes: Set<String>? = nil,
        _ body: (Client, String) async throws -> Void
    ) async throws {
        let spotify = try LocalSpotify(mode: mode)
        try await spotify.serve { url in
            let client = Client(url)
            let code = await spotify.makeCode(scopes: scopes)
            let tokens = try await client.token("grant_type=authorization_code&code=\(code)").decode(Tokens.self)
            try await body(client, tokens.accessToken)
        }
    }
}
