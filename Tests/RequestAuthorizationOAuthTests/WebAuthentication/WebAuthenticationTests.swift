// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@testable import RequestAuthorizationOAuth
import Testing

/// The decisions around the system's sheet. The sheet itself was not run here.
@Suite(.timeLimit(.minutes(5))) struct WebAuthenticationTests {
    private func callback(
        _ sessions: FakeSessions, redirectURI: String = "com.example.app:/cb", isEphemeral: Bool = false
    ) async throws -> URL {
        try await WebAuthenticationReceiver(redirectURI: redirectURI, isEphemeral: isEphemeral, sessions: sessions)
            .callback(for: { .make(redirectURI: $0, url: try .make("https://as.example/authorize")) }) { _ in
                Issue.record("the sheet shows the page")
            }
    }

    @Test func `the sheet shows the page and gives the callback`() async throws {
        let sessions = FakeSessions(.success(try .make("com.example.app:/cb?code=1&state=xyz")))
        #expect(try await callback(sessions, isEphemeral: true).absoluteString.hasPrefix("com.example.app:/cb?"))
        #expect(sessions.log == ["https://as.example/authorize scheme(\"com.example.app\") true"])
    }

    @Test func `RFC 8252 §7.2: a callback at the app's domain is matched by host and path`() async throws {
        let sessions = FakeSessions(.success(try .make("https://app.example/cb?code=1&state=xyz")))
        _ = try await callback(sessions, redirectURI: "https://App.example/cb")
        #expect(sessions.log == ["https://as.example/authorize https(host: \"app.example\", path: \"/cb\") false"])
    }

    @Test func `a redirect URI on this machine needs another receiver, and no sheet is shown`() async throws {
        let sessions = FakeSessions(.failure(SignInError(.cancelled)))
        let error = await #expect(throws: SignInError.self) {
            try await callback(sessions, redirectURI: "http://127.0.0.1/cb")
        }
        #expect(error?.kind == .redirectURI)
        #expect(sessions.log == [])
    }

    @Test func `a sheet that was closed, one that failed and one that cannot be shown have different errors`()
        async throws
    {
        for (sessions, kind) in [
            (FakeSessions(.failure(SignInError(.cancelled))), SignInError.Kind.cancelled),
            (FakeSessions(.failure(SignInError(.notShown))), .notShown), (FakeSessions(nil), .notShown),
        ] {
            let error = await #expect(throws: SignInError.self) { try await callback(sessions) }
            #expect(error?.kind == kind)
        }
    }

    @Test func `a callback with another state is foreign`() async throws {
        let sessions = FakeSessions(.success(try .make("com.example.app:/cb?code=1&state=forged")))
        let error = await #expect(throws: SignInError.self) { try await callback(sessions) }
        #expect(error?.kind == .foreign)
    }

    @Test func `cancelling the task closes the sheet`() async throws {
        let sessions = FakeSessions(nil, staysOpen: true)
        let task = Task { try await callback(sessions) }
        for await _ in sessions.opened { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sessions.log.last == "closed")
    }
}

/// A sheet that ends as the test says.
private final class FakeSessions: WebAuthenticationSessions {
    private let outcome: WebAuthenticationEnd?
    private let staysOpen: Bool
    private let lines = Lock<[String]>([])
    let opened: AsyncStream<Void>
    private let open: AsyncStream<Void>.Continuation

    init(_ outcome: WebAuthenticationEnd?, staysOpen: Bool = false) {
        (self.outcome, self.staysOpen) = (outcome, staysOpen)
        (opened, open) = AsyncStream.makeStream()
    }

    var log: [String] { lines.withLock { $0 } }

    func begin(
        _ page: URL, awaiting callback: WebAuthenticationCallback, isEphemeral: Bool,
        end: @escaping @Sendable (WebAuthenticationEnd) -> Void
    ) async -> (@Sendable () async -> Void)? {
        lines.withLock { $0.append("\(page) \(callback) \(isEphemeral)") }
        guard outcome != nil || staysOpen else { return nil }
        if let outcome { end(outcome) }
        open.yield()
        return { self.lines.withLock { $0.append("closed") } }
    }
}
