// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationSpotify
import RequestAuthorizationStorage
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: tool
func showProfile(at url: URL) async throws {
    let service = OAuthTokenService.authorizationCode(
        server: .spotify(accounts: url), client: .public(id: "local-client"), transport: URLSession.shared)
    let auth = RefreshableTokenAuthorization(
        service: service, store: .tool(client: "first-tool", account: "me"), policy: .tool)
    if try await !isSignedIn(auth) {
        // It listens on 127.0.0.1 until the browser comes back.
        try await auth.signIn {
            try await service.signIn(scopes: ["user-read-private"], through: .loopback) { page in
                FileHandle.standardError.write(Data("Open \(page) and allow it.\n".utf8))
            }
        }
    }
    let request = URLRequest(url: url.appending(path: "v1/me"))
    let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    print(String(decoding: data, as: UTF8.self))
    // Waits until a refresh that has begun is stored.
    try await auth.settle(within: .seconds(10))
}

func isSignedIn(_ auth: RefreshableTokenAuthorization<OAuthToken>) async throws -> Bool {
    do {
        _ = try await auth.validToken()
        return true
    } catch let error as NotAuthorized where error.needsSignIn {
        return false
    }
}
// end sample

/// `swift run --package-path Examples first-tool`, while `swift run --package-path Examples spotify serve` runs.
@main struct FirstTool {
    static func main() async throws {
        let address = ProcessInfo.processInfo.environment["SPOTIFY_LOCAL"] ?? "http://127.0.0.1:8181"
        guard let url = URL(string: address) else {
            FileHandle.standardError.write(Data("SPOTIFY_LOCAL is not a URL\n".utf8))
            exit(64)
        }
        try await showProfile(at: url)
    }
}
