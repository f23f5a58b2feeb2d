// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FlyingFox
public import Foundation
import LoopbackHTTP

/// An app's own server on this machine, with a log-in that speaks JSON and one page for signed-in users.
///
///     try await LocalWidgets().serve { url in
///         …                       // POST url/login, GET url/v1/widgets
///     }
///
/// The user is `ada`, the password `lovelace`. An access token is valid for two calls, and must then be refreshed.
public actor LocalWidgets {
    /// The number of successful sign-ins and refreshes.
    public private(set) var tokenCalls = 0

    private var refreshToken: String?
    private var accessToken: String?
    private var callsLeft = 0

    public init() {}

    /// Listens on 127.0.0.1 while the closure runs.
    ///
    /// - Parameter body: gets the base URL, for instance `http://127.0.0.1:40123`.
    public nonisolated func serve<Success>(_ body: (URL) async throws -> Success) async throws -> Success {
        try await HTTPServer.serve(ClosureHTTPHandler { try await self.answer($0) }, body)
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        switch (request.method, request.path) {
        case (.POST, "/login"): logIn(try JSONDecoder().decode([String: String].self, from: try await request.bodyData))
        case (.GET, "/v1/widgets"): widgets(request.headers[.authorization])
        default: HTTPResponse(statusCode: .notFound)
        }
    }

    private func logIn(_ fields: [String: String]) -> HTTPResponse {
        let isUser = fields["user"] == "ada" && fields["password"] == "lovelace"
        guard isUser || (refreshToken != nil && fields["refresh_token"] == refreshToken) else {
            return HTTPResponse(statusCode: .unauthorized, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        }
        tokenCalls += 1
        let (access, refresh) = (UUID().uuidString, UUID().uuidString)
        (accessToken, refreshToken, callsLeft) = (access, refresh, 2)
        let answer = #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","expires_in":3600}"#
        return HTTPResponse(statusCode: .ok, body: Data(answer.utf8))
    }

    private func widgets(_ authorization: String?) -> HTTPResponse {
        guard let accessToken, authorization == "Bearer \(accessToken)", callsLeft > 0 else {
            var fields = HTTPHeaders()
            fields.setValues([#"Bearer error="invalid_token""#], for: HTTPHeader("WWW-Authenticate"))
            return HTTPResponse(statusCode: .unauthorized, headers: fields)
        }
        callsLeft -= 1
        return HTTPResponse(statusCode: .ok, body: Data(#"["a widget","another one"]"#.utf8))
    }
}
