// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalWidgets
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: app
/// The token that the server issues at a log-in.
struct SessionToken: AuthorizationToken, Codable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date
    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}

/// Calls the server's log-in, which speaks JSON.
struct SessionService: RefreshableTokenService {
    let endpoint: JSONTokenEndpoint

    func logIn(as user: String, password: String) async throws -> SessionToken {
        try await token(for: ["user": user, "password": password])
    }

    func refresh(_ token: SessionToken) async throws -> SessionToken {
        try await self.token(for: ["refresh_token": token.refreshToken])
    }

    private func token(for fields: [String: String]) async throws -> SessionToken {
        struct Answer: Decodable { let accessToken, refreshToken: String, expiresIn: TimeInterval }
        let answer = try await endpoint.post(fields, expecting: Answer.self)
        return SessionToken(
            accessToken: answer.body.accessToken, refreshToken: answer.body.refreshToken,
            expiresAt: answer.sentAt + answer.body.expiresIn)
    }
}

func useWidgets(at server: URL) async throws {
    let logIn = server.appending(path: "login")
    let service = SessionService(
        endpoint: JSONTokenEndpoint(logIn, transport: URLSession.shared, keys: .convertFromSnakeCase))
    // To stay signed in, import RequestAuthorizationStorage, a product of its own, and pass
    // `store: .default(client: "com.example.app", account: "ada")`.
    let auth = RefreshableTokenAuthorization(service: service)
    let observation = auth.onTokenChange { print("session:", $0) }
    try await auth.signIn { try await service.logIn(as: "ada", password: "lovelace") }
    for call in 1...3 {
        if call == 3 { print("The next call gets a 401: the token is refreshed, and the call is sent again.") }
        let request = URLRequest(url: server.appending(path: "v1/widgets"))
        let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        print("widgets:", String(decoding: data, as: UTF8.self))
    }
    try await auth.signOut()
    observation.cancel()
}
// end sample

/// `swift run --package-path Examples first-app`: an app's session with its own server.
@main struct FirstApp {
    static func main() async throws {
        let widgets = LocalWidgets()
        try await widgets.serve { try await useWidgets(at: $0) }
        print("token calls:", await widgets.tokenCalls)
    }
}
