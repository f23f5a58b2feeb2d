// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization
package import RequestAuthorizationTesting

/// An authorization server that gives each refresh token for one use. A second use ends the session.
///
/// The name of a token is its session and its generation, `2.0`. It stands for the access token and the refresh token.
package final class RotatingServer: Sendable {
    private struct State {
        var newest: [Int: Int] = [:]
        var ended: Set<Int> = []
        var refreshes = 0
    }

    private let state = Lock(State())
    private let clock: any AuthorizationClock

    /// The lifetime of a token.
    package static let lifetime = Duration.seconds(1000)

    package init(clock: any AuthorizationClock) { self.clock = clock }

    /// The number of token requests with a refresh token.
    package var refreshes: Int { state.withLock(\.refreshes) }

    /// Begins a session.
    package func signIn() -> TestToken {
        token(
            state.withLock { state in
                let session = state.newest.count + 1
                state.newest[session] = 0
                return (session, 0)
            })
    }

    package func refresh(_ name: String) throws -> TestToken {
        let successor = state.withLock { state -> (Int, Int)? in
            state.refreshes += 1
            guard let (session, generation) = Self.parts(of: name), Self.isGood(name, state) else {
                if let (session, _) = Self.parts(of: name) { state.ended.insert(session) }
                return nil
            }
            state.newest[session] = generation + 1
            return (session, generation + 1)
        }
        guard let successor else { throw NotAuthorized(.rejected) }
        return token(successor)
    }

    package func revoke(_ name: String) {
        state.withLock { state in if let (session, _) = Self.parts(of: name) { state.ended.insert(session) } }
    }

    /// Whether the server will accept a token for a refresh.
    package func accepts(_ name: String) -> Bool { state.withLock { Self.isGood(name, $0) } }

    /// Whether a session is over: signed out, or a refresh token was used twice.
    package func hasEnded(_ session: Int) -> Bool { state.withLock { $0.ended.contains(session) } }

    // MARK: -

    private func token(_ parts: (session: Int, generation: Int)) -> TestToken {
        TestToken("\(parts.session).\(parts.generation)", expiresAt: clock.now + Self.lifetime / .seconds(1))
    }

    private static func isGood(_ name: String, _ state: State) -> Bool {
        guard let (session, generation) = parts(of: name) else { return false }
        return state.newest[session] == generation && !state.ended.contains(session)
    }

    private static func parts(of name: String) -> (session: Int, generation: Int)? {
        let parts = name.split(separator: ".").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}

/// The way of one process to a ``RotatingServer``.
package struct RotatingService: RefreshableTokenService {
    package let server: RotatingServer
    package let fate: Fate

    package init(_ server: RotatingServer, _ fate: Fate) { (self.server, self.fate) = (server, fate) }

    package func signIn() async throws -> TestToken { try await fate.call("sign in") { server.signIn() } }

    package func refresh(_ token: TestToken) async throws -> TestToken {
        try await fate.call("refresh") { try server.refresh(token.name) }
    }

    package func revoke(_ token: TestToken) async throws {
        try await fate.call("revoke") { server.revoke(token.name) }
    }

    package func discard(_ token: TestToken) async {
        try? await fate.call("discard") { server.revoke(token.name) }
    }
}
