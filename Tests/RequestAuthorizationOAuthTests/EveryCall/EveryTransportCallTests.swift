// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import StoreFixtures
import Testing

@testable import RequestAuthorizationOAuth

/// Each call of each operation fails, loses its answer, hangs, or is the last one of its process: requests to the servers, the
/// person, and the records.
@Suite(.timeLimit(.minutes(5))) struct EveryTransportCallTests {
    @Test(arguments: ResourceDeed.allCases)
    func `after any failure the next start goes on`(deed: ResourceDeed) async throws {
        let plain = try await ResourceScene(deed)
        let whole = try await plain.perform(nil, at: 0)
        #expect(whole.isSilent)
        try await plain.checkNextStart(after: whole, "nothing")
        #expect(!whole.fate.calls.isEmpty)
        for mishap in Mishap.allCases {
            for number in 1...whole.fate.calls.count {
                let scene = try await ResourceScene(deed)
                let performance = try await scene.perform(mishap, at: number)
                let calls = performance.fate.calls
                let what = "\(mishap) \(number) \(calls.count >= number ? calls[number - 1] : "not reached")"
                do {
                    try await scene.checkNextStart(after: performance, what)
                } catch {
                    Issue.record("\(what): \(error)")
                }
                performance.fate.die()
            }
        }
    }
}

/// A public operation.
enum ResourceDeed: CaseIterable {
    case register, firstSignIn, signIn, load, refresh, settle, signOut, reset
}

/// A place of records and a server, in which one operation is performed.
private struct ResourceScene {
    let deed: ResourceDeed
    let clock = HastyClock()
    let place = ItemPlace()
    let server: RotatingOAuthServer

    init(_ deed: ResourceDeed) async throws {
        self.deed = deed
        server = RotatingOAuthServer(tokens: RotatingServer(clock: clock))
        guard deed != .firstSignIn, deed != .register else { return }
        let fate = Fate()
        let first = start(fate)
        try await first.signIn()
        try await first.settle(within: .seconds(60))
        fate.die()
        switch deed {
        case .refresh: clock.advance(by: RotatingServer.lifetime)
        case .settle: clock.advance(by: RotatingServer.lifetime - .seconds(1))
        default: break
        }
    }

    func start(_ fate: Fate) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            RotatingOAuthServer.resource, client: ClientIdentity(name: "Notes"),
            records: .items(MortalPlace(place, fate)), transport: MortalTransport(server: server, fate: fate),
            clock: clock, signIn: .through(QuickPerson(fate: fate)) { _ in true })
    }

    /// Performs the operation, in which the call with this number goes wrong.
    func perform(_ mishap: Mishap?, at number: Int) async throws -> Performance {
        let fate = Fate()
        fate.begin(mishap, at: number)
        let auth = start(fate)
        let task = Task { () -> Result<Void, any Error> in
            do {
                return .success(try await perform(with: auth, fate))
            } catch {
                return .failure(error)
            }
        }
        return await Performance(of: task, fate, mishap, clock) {
            (try? await auth.settle(within: .seconds(60))) != nil
        }
    }

    private func perform(with auth: ProtectedResourceAuthorization, _ fate: Fate) async throws {
        switch deed {
        case .register:
            _ = try await RotatingOAuthServer.known.register(
                ClientIdentity(name: "Notes"), redirectURI: RotatingOAuthServer.redirectURI,
                records: .items(MortalPlace(place, fate)), transport: MortalTransport(server: server, fate: fate),
                clock: clock)
        case .firstSignIn, .signIn: try await auth.signIn()
        case .load, .refresh: _ = try await auth.validToken()
        case .settle:
            _ = try await auth.validToken()
            try await auth.settle(within: .seconds(60))
        case .signOut: try await auth.signOut()
        case .reset: await auth.reset()
        }
    }

    /// Checks what the next start of the program finds, and that it goes on from there.
    func checkNextStart(after performance: Performance, _ what: String) async throws {
        let (refreshes, registrations) = (server.tokens.refreshes, server.registrations)
        let mayBeOver = mayBeOver(performance)
        let fate = Fate()
        let next = start(fate)
        if let token = try await next.token(unlessOver: mayBeOver, what) {
            #expect(!performance.isSilent || !endsSession, "\(what): a session that has ended is there")
            // A refresh ahead of expiry may fail, and the token that is still valid is used.
            if performance.isSilent, deed != .settle {
                #expect(server.tokens.accepts(token.accessToken), "\(what): a token that is over is there")
                #expect(server.tokens.refreshes == refreshes, "\(what): the next start refreshes again")
            }
        } else {
            try await next.signIn()
            if performance.isSilent { #expect(server.registrations == registrations, "\(what): registered again") }
        }
        try await next.settle(within: .seconds(60))
        clock.advance(by: RotatingServer.lifetime)
        if try await next.token(unlessOver: mayBeOver, what) == nil { try await next.signIn() }
        try await next.settle(within: .seconds(60))
        let current = try await next.validToken()
        fate.die()
        let last = Fate()
        #expect(try await start(last).validToken().accessToken == current.accessToken, "\(what): the third start")
        last.die()
    }

    private var endsSession: Bool { [.signOut, .reset].contains(deed) }

    /// Whether the next start may say that a person must sign in.
    private func mayBeOver(_ performance: Performance) -> Bool {
        switch deed {
        case .register, .signOut, .reset: true
        case .firstSignIn: !performance.isSilent
        // The server has used the refresh token up, and its answer was lost, or could not be stored.
        case .refresh: !performance.isSilent && server.tokens.refreshes > 0
        // That of a refresh in the background is told to listeners only.
        case .settle: performance.fate.isMet && server.tokens.refreshes > 0
        case .signIn, .load: false
        }
    }
}

extension ProtectedResourceAuthorization {
    /// Returns the token of a start; `nil` if a person must sign in, which has to be right.
    fileprivate func token(unlessOver mayBeOver: Bool, _ what: String) async throws -> OAuthToken? {
        do {
            return try await validToken()
        } catch let error as NotAuthorized where error.needsSignIn {
            #expect(mayBeOver, "\(what): \(error)")
            return nil
        }
    }
}
#endif
