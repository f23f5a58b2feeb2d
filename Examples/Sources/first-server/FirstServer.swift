// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import Foundation
import LocalSpotify
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth

// sample: server
func findNightMusic(at url: URL) async throws {
    let server = AuthorizationServer(issuer: url.absoluteString, tokenEndpoint: url.appending(path: "api/token"))
    let service = OAuthTokenService.clientCredentials(
        server: server, client: .secretBasic(id: "local-web", secret: "local-secret"), transport: HTTPClient.shared)
    // The first token is fetched automatically. A request shortly before its expiry fetches the next one in the
    // background. The token is sent only to this server.
    guard let api = Origin(url) else { return }
    let auth = RefreshableTokenAuthorization(service: service).restricted(to: api)
    // Ten calls at a time wait for the same token.
    try await withThrowingTaskGroup { group in
        for number in 1...10 {
            group.addTask {
                let request = HTTPClientRequest(url: "\(url)/v1/search?q=night&type=track&limit=\(number)")
                return try await HTTPClient.shared.execute(request, timeout: .seconds(30), authorizedBy: auth).status
            }
        }
        for try await status in group { print("search:", status) }
    }
}
// end sample

/// `swift run --package-path Examples --traits Clients first-server`: a server's own token, with async-http-client.
@main struct FirstServer {
    static func main() async throws {
        let spotify = try LocalSpotify()
        try await spotify.serve { try await findNightMusic(at: $0) }
        print("token calls:", await spotify.tokenCalls.count)
    }
}
#else
@main struct FirstServer {
    static func main() {
        print("first-server needs a trait: swift run --package-path Examples --traits Clients first-server")
    }
}
#endif
