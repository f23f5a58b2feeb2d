// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RequestAuthorizationAsyncHTTPClient

struct LoopbackToken: AuthorizationToken {
    let name: String
    var authorizationHeaderValue: String { "Bearer \(name)" }
}

/// Fetches tokens through the client under test: the body of the answer is the token.
struct LoopbackService: RefreshableTokenService {
    let transport: any TokenTransport
    let url: URL

    func refresh(_ token: LoopbackToken) async throws -> LoopbackToken {
        let answer = try await transport.send(TokenRequest(url: url, body: Array(token.name.utf8)))
        return LoopbackToken(name: String(decoding: answer.body, as: UTF8.self))
    }
}
#endif
