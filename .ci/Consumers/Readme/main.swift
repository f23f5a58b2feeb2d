// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The first program in the README. `.ci/check-consumers` takes the sample out of the checkout, builds and runs it.
// prints: Bearer ABC
// prints: Bearer first
// prints: Bearer second

// sample: program
import RequestAuthorizationURLSession

struct MyToken: AuthorizationToken {
    let accessToken: String
    let expiresAt: Date
    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}

/// Invents tokens, so that the program needs no server. Yours calls your server here.
struct MyTokenService: RefreshableTokenService {
    func logIn() async throws -> MyToken { MyToken(accessToken: "first", expiresAt: .now + 3600) }

    func refresh(_ token: MyToken) async throws -> MyToken {
        MyToken(accessToken: "second", expiresAt: .now + 3600)
    }
}

func show(_ request: URLRequest) { print(request.value(forHTTPHeaderField: "Authorization") ?? "no credential") }

let address = CommandLine.arguments.dropFirst().first
guard let url = URL(string: address ?? "https://api.example.com/widgets") else { fatalError("That is no URL.") }
var request = URLRequest(url: url)

// A constant credential.
request = try await request.authorized(using: .bearer("ABC"))
show(request)  // Bearer ABC

// A token that is refreshed: here by hand, otherwise when it expires or a server answers 401.
let service = MyTokenService()
let auth = RefreshableTokenAuthorization(service: service)  // one per identity, shared
try await auth.signIn { try await service.logIn() }
request = try await request.authorized(using: auth)
show(request)  // Bearer first
try await auth.refreshNow()
request = try await request.authorized(using: auth)
show(request)  // Bearer second

// Authorizes and sends. After a 401: refreshes once for all requests, and sends again.
if address != nil {
    let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
    print((response as? HTTPURLResponse)?.statusCode ?? 0, data.count, "bytes")
}
// end sample
