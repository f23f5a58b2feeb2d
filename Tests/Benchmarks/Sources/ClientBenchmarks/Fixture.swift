// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Clients
import Foundation
import RequestAuthorization

/// A token of 200 characters that does not expire.
struct LongToken: AuthorizationToken {
    let authorizationHeaderValue = "Bearer " + String(repeating: "aB3-", count: 50)
}

private struct NoService: RefreshableTokenService {
    func refresh(_ token: LongToken) async throws -> LongToken { token }
}

enum Fixture {
    /// A provider whose token is valid.
    static let auth: RefreshableTokenAuthorization<LongToken> = RefreshableTokenAuthorization(
        service: NoService(), token: LongToken())

    /// A server that answers everything with five bytes.
    static func server() throws -> ConstantServer {
        try ConstantServer(
            answer: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
    }
}
#endif
