// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@Suite struct ListeningSamples {
    @Test func `a handler gets the present token and then each change`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
        let (heard, hear) = AsyncStream.makeStream(of: String.self)
        let show: @Sendable (String) -> Void = { hear.yield($0) }
        // sample: observation
        let observation = auth.onTokenChange { change in
            switch change {
            case .tokenUpdated(let token): show("use \(token.name)")
            case .tokenInvalidated(let error): show("over: \(error.reason)")
            }
        }
        // end sample
        try await auth.setToken(TestToken("b"))
        await auth.reset()
        var lines: [String] = []
        for await line in heard.prefix(3) { lines.append(line) }
        #expect(lines == ["use a", "use b", "over: signed out"])
        // sample: cancel
        observation.cancel()  // so does dropping the observation
        // end sample
    }

    @Test func `the same as a sequence`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
        var isSignedIn = false
        // sample: changes
        for await change in auth.tokenChanges {
            isSignedIn = change.isAuthorized
            if isSignedIn { break }
        }
        // end sample
        #expect(isSignedIn)
    }

    /// Not called: it would begin to listen some time after the call.
    func log(from auth: RefreshableTokenAuthorization<TestToken>, to write: @escaping @Sendable (String) -> Void) {
        // sample: events
        let events = auth.events
        let logging = Task {
            for await event in events { write("token: \(event)") }
        }
        // end sample
        logging.cancel()
    }

    @Test func `events are texts without secrets`() async throws {
        struct Offline: Error {}
        let auth = RefreshableTokenAuthorization(
            service: ScriptedTokenService<TestToken>(.failure(Offline())),
            policy: .init(backOff: .init(patience: .zero)))
        var events = auth.events.makeAsyncIterator()
        await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        var texts: [String] = []
        while texts.count < 3, let event = await events.next() { texts.append("\(event)") }
        #expect(texts == ["refresh started", "refresh failed (Offline)", "refresh ended"])
    }

    @MainActor @Test func `a status is for user interfaces`() async throws {
        let auth = RefreshableTokenAuthorization(service: ScriptedTokenService(), token: TestToken("a"))
        // sample: status
        let status = AuthorizationStatus(following: auth)
        // end sample
        #expect(line(for: status) == "Signed in")
        await auth.reset()
        try await status.reaches { $0.phase == .signedOut }
        #expect(line(for: status) == "Please sign in: signed out")
        // sample: status-reaches
        try await auth.signIn { TestToken("b") }
        try await status.reaches { $0.phase == .authorized }
        // end sample
        #expect(line(for: status) == "Signed in")
    }

    // sample: status-use
    @MainActor func line(for status: AuthorizationStatus) -> String {
        switch status.phase {
        case .authorized, .refreshing: "Signed in"
        case .unknown, .signingIn: "One moment"
        case .signedOut: status.error.map { "Please sign in: \($0.reason)" } ?? "Welcome"
        case .shutDown: "Good-bye"
        }
    }
    // end sample
}
