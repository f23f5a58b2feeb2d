// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

@Suite struct ErrorSamples {
    // sample: errors
    func load(_ request: URLRequest, with auth: some AuthorizationProvider, on session: URLSession) async throws
        -> String
    {
        do {
            let (data, response) = try await session.data(for: request, authorizedBy: auth)
            guard let refusal = (response as? HTTPURLResponse)?.unauthorized else {
                return String(decoding: data, as: UTF8.self)
            }
            // The server refused, and another try would not help.
            return "refused: \(refusal.challenges.first?.error ?? "no reason given")"
        } catch let error as NotAuthorized where error.needsSignIn {
            return "sign in"
        } catch let error as RefreshFailed where error.suggestsSignIn {
            return "sign in again?"  // let the user decide; the session is kept
        } catch let error as RefreshFailed {
            return "later: \(type(of: error.underlying))"  // error.nextTryAt says when
        }
    }
    // end sample

    // sample: wrapped
    func needsSignIn(_ error: any Error) -> Bool { NotAuthorized(in: error)?.needsSignIn == true }
    // end sample

    @Test func `a wrapped error tells that a sign-in is needed`() {
        struct ClientError: Error { let underlyingError: any Error }
        #expect(needsSignIn(ClientError(underlyingError: NotAuthorized(.signedOut))))
        #expect(!needsSignIn(ClientError(underlyingError: NotAuthorized(.shutDown))))
    }

    @Test func `the outcomes of a call can be told apart`() async throws {
        let session = StubServer.session
        let request = URLRequest(url: try #require(URL(string: "https://api.widgets.example/")))
        func end(_ steps: ScriptStep<TestToken?, TestToken>) async throws -> String {
            let auth = RefreshableTokenAuthorization(
                service: ScriptedTokenService(steps), policy: .init(backOff: .init(patience: .zero)))
            return try await load(request, with: auth, on: session)
        }
        #expect(try await end(.token("a")) == "Bearer a")
        #expect(try await load(request, with: .bearer("stale"), on: session) == "refused: invalid_token")
        #expect(try await end(.failure(NotAuthorized(.noToken))) == "sign in")
        #expect(try await end(.failure(URLError(.notConnectedToInternet))) == "later: URLError")
    }
}
