// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Many callers whose token ends every two seconds.
@Suite(
    .enabled(if: Glewlwyd.isThere, Glewlwyd.how), .glewlwyd(accessSeconds: 2), .serialized, .timeLimit(.minutes(5)))
struct GlewlwydExpiryTests {
    @Test(arguments: Carrier.allCases)
    func `fifty callers at each expiry ask for one token between them`(carrier: Carrier) async throws {
        let bench = try await GlewlwydBench(carrier)
        let service = bench.service()
        let auth = RefreshableTokenAuthorization(service: service, clock: bench.clock)
        try await auth.signIn { try await bench.signIn(service) }
        let first = try await auth.validToken()
        #expect(first.lifetime == .seconds(2))
        var (last, issued) = (first, try await bench.server.refreshTokens())
        for _ in 0..<10 {
            bench.clock.advance(by: .seconds(2))
            let tokens = try await withThrowingTaskGroup(of: OAuthToken.self) { group in
                for _ in 0..<50 { group.addTask { try await auth.validToken() } }
                return try await group.reduce(into: Set<OAuthToken>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            let token = try #require(tokens.first)
            #expect(token.accessToken != last.accessToken)
            let now = try await bench.server.refreshTokens()
            #expect(now == issued + 1)
            (last, issued) = (token, now)
        }
        // No token was spent twice: that would have ended the session.
        _ = try await service.refresh(last)
    }
}
#endif
