// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// An app whose default isolation is the main actor. `.ci/check-consumers` copies it out of the checkout, builds and runs it.
// prints: Bearer ABC
// prints: Bearer old'
// prints: a change after 1 call
// prints: authorized, 1 call, on the main actor

import RequestAuthorizationURLSession

struct AppToken: AuthorizationToken {
    let value: String
    let expiresAt: Date
    var authorizationHeaderValue: String { "Bearer \(value)" }
}

/// The state of the user interface.
final class AppModel {
    var calls = 0
}

final class AppTokenService {
    let model: AppModel

    init(model: AppModel) { self.model = model }
}

extension AppTokenService: RefreshableTokenService {
    @MainActor func refresh(_ token: AppToken) async throws -> AppToken {
        MainActor.assertIsolated()
        model.calls += 1
        return AppToken(value: token.value + "'", expiresAt: .distantFuture)
    }
}

struct API {
    var authorization: any AuthorizationProvider

    func request(_ path: String) async throws -> URLRequest {
        guard let url = URL(string: "https://api.example.com/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request = try await authorization.authorize(request)
        return request
    }
}

func printHeader(of request: URLRequest) {
    print(request.value(forHTTPHeaderField: "Authorization") ?? "nothing")
}

printHeader(of: try await API(authorization: .bearer("ABC")).request("widgets"))

let model = AppModel()
let auth = RefreshableTokenAuthorization(
    service: AppTokenService(model: model), token: AppToken(value: "old", expiresAt: .distantPast))
let api = API(authorization: auth.restricted(to: "https://api.example.com"))
printHeader(of: try await api.request("widgets"))

var isAuthorized = false
for await change in auth.tokenChanges {
    isAuthorized = change.isAuthorized
    break
}
let (calls, callsSeen) = AsyncStream.makeStream(of: Int.self)
let observation = auth.onTokenChange { @MainActor _ in
    MainActor.assertIsolated()
    callsSeen.yield(model.calls)
}
for await count in calls {
    print("a change after", count, "call")
    break
}
observation.cancel()
print(isAuthorized ? "authorized," : "not authorized,", model.calls, "call, on the main actor")
await auth.reset()
