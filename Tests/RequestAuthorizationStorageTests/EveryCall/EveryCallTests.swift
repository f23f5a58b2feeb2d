// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

/// Each call of each operation fails, loses its answer, hangs, or is the last one of its process.
///
/// A token is lost only if an error has said so, and the next start goes on.
@Suite(.timeLimit(.minutes(15))) struct EveryCallTests {
    @Test(arguments: Deed.allCases.filter { $0 != .rotateKey })
    func `files`(deed: Deed) async throws { try await check(FileWorld.self, deed) }

    @Test(arguments: Deed.allCases.filter { ![.adopt, .rotateKey].contains($0) })
    func `a Keychain`(deed: Deed) async throws { try await check(KeychainWorld.self, deed) }

    #if canImport(CryptoKit) || Crypto
    @Test(arguments: Deed.allCases)
    func `encrypted files`(deed: Deed) async throws { try await check(SealedFileWorld.self, deed) }

    @Test(arguments: Deed.allCases)
    func `a database with leases`(deed: Deed) async throws { try await check(LeasedWorld.self, deed) }
    #endif

    #if Crypto
    @Test(arguments: Deed.allCases.filter { ![.adopt, .rotateKey].contains($0) })
    func `an iCloud`(deed: Deed) async throws { try await check(CloudWorld.self, deed) }
    #endif

    private func check<Place: World>(_ place: Place.Type, _ deed: Deed) async throws {
        let plain = try await Scene<Place>(deed)
        let whole = try await plain.perform(nil, at: 0)
        #expect(whole.isSilent)
        try await plain.checkNextStart(after: whole, "nothing")
        #expect(!whole.fate.calls.isEmpty)
        for mishap in Place.mishaps {
            for number in 1...whole.fate.calls.count {
                let scene = try await Scene<Place>(deed)
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

extension Scene {
    /// Checks what the next start of the program finds, and that it goes on from there.
    func checkNextStart(after performance: Performance, _ what: String) async throws {
        let refreshes = server.refreshes
        // Read by nobody who could change it.
        let kept = try await next().store.load()?.token?.name
        let mayBeOver = mayBeOver(performance, kept: kept)
        let next = try await next()
        defer { next.fate.die() }
        if let token = try await next.token(unlessOver: mayBeOver, what) {
            #expect(!performance.isSilent || !deed.endsSession, "\(what): a session that has ended is there")
            if performance.isSilent {
                #expect(server.accepts(token.name), "\(what): a token that is over is there")
                #expect(server.refreshes == refreshes, "\(what): the next start refreshes again")
            }
            if performance.isSilent, deed == .signIn { #expect(token.name == "2.0", "\(what)") }
            if deed == .adopt { #expect(server.refreshes == 1, "\(what): one expiry, two refreshes") }
        } else {
            try await next.signIn()
        }
        try await next.auth.settle(within: .seconds(60))
        clock.advance(by: RotatingServer.lifetime)
        if try await next.token(unlessOver: mayBeOver, what) == nil { try await next.signIn() }
        try await next.auth.settle(within: .seconds(60))
        let third = try await self.next()
        let last = try await third.auth.validToken()
        #expect(last.name == next.auth.currentToken?.name && server.accepts(last.name), "\(what): the third start")
        third.fate.die()
    }

    /// Whether the next start may say that a person must sign in.
    private func mayBeOver(_ performance: Performance, kept: String?) -> Bool {
        if deed.endsSession { return true }
        guard !performance.isSilent else { return false }
        // The answer of the server was lost, or the process could not store it before it died.
        return deed == .firstSignIn || kept.map { !server.accepts($0) } ?? server.hasEnded(1)
    }
}

extension Start {
    /// Returns the token of a start; `nil` if a person must sign in, which has to be right.
    fileprivate func token(unlessOver mayBeOver: Bool, _ what: String) async throws -> TestToken? {
        do {
            return try await auth.validToken()
        } catch let error as NotAuthorized where error.needsSignIn {
            #expect(mayBeOver, "\(what): \(error)")
            return nil
        }
    }
}
