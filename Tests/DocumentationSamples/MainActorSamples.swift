// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationTesting
import Testing

// sample: main-actor
@MainActor final class Session {
    private(set) var refreshes = 0
}

extension Session: RefreshableTokenService {
    @MainActor func refresh(_ token: TestToken) async throws -> TestToken {
        refreshes += 1
        return TestToken("\(token.name)-\(refreshes)")
    }
}
// end sample

@MainActor @Suite struct MainActorSamples {
    @Test func `a service may live on the main actor`() async throws {
        let session = Session()
        let auth = RefreshableTokenAuthorization(
            service: session, token: TestToken("a", expiresAt: .distantPast))
        #expect(try await auth.validToken().name == "a-1")
        #expect(session.refreshes == 1)
    }

    @Test func `a handler may live on the main actor`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
        let model = Model()
        let (heard, hear) = AsyncStream.makeStream(of: Void.self)
        model.onChange = { hear.yield() }
        // sample: main-actor-handler
        let observation = auth.onTokenChange { @MainActor change in
            model.isSignedIn = change.isAuthorized
        }
        // end sample
        for await _ in heard { break }
        #expect(model.isSignedIn)
        observation.cancel()
    }
}

@MainActor private final class Model {
    var isSignedIn = false { didSet { onChange() } }
    var onChange = {}
}
