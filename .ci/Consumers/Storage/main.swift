// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A program that stores a token and enables no trait. `.ci/check-consumers` copies it out of the checkout, checks what it
// fetches, and adds a file that needs the trait.
// prints: Bearer kept

import RequestAuthorizationStorage

struct WidgetToken: AuthorizationToken, Codable {
    let value: String
    var authorizationHeaderValue: String { "Bearer \(value)" }
}

struct NoWidgets: RefreshableTokenService {
    func refresh(_ token: WidgetToken) async throws -> WidgetToken { throw NotAuthorized(.rejected) }
}

actor Items: ByteStore {
    private var item: Data?

    func load() async throws -> Data? { item }
    func save(_ item: Data) async throws { self.item = item }
    func clear() async throws { item = nil }
}

struct WidgetTokenStore: CodableTokenStore {
    typealias Token = WidgetToken
    let items: Items
}

let store = WidgetTokenStore(items: Items())
try await RefreshableTokenAuthorization(service: NoWidgets(), store: store).signIn { WidgetToken(value: "kept") }
let auth = RefreshableTokenAuthorization(service: NoWidgets(), store: store)
print(try await auth.validToken().authorizationHeaderValue)
