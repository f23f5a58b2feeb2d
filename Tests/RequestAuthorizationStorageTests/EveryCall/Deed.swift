// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures
import Testing

/// A public operation.
enum Deed: String, CaseIterable, Sendable {
    case firstSignIn, signIn, load, refresh, settle, adopt, signOut, reset, migrate, rotateKey, remove

    /// Whether it ends the session.
    var endsSession: Bool { [.signOut, .reset, .remove].contains(self) }
}

/// A world in which one operation is performed.
struct Scene<Place: World> {
    let clock = HastyClock()
    let place: Place
    let server: RotatingServer
    let deed: Deed

    /// Prepares what the operation begins with.
    init(_ deed: Deed) async throws {
        self.deed = deed
        place = try Place(clock: clock)
        server = RotatingServer(clock: clock)
        guard deed != .firstSignIn else { return }
        let first = try await start(Fate())
        try await first.signIn()
        try await first.auth.settle(within: .seconds(60))
        first.fate.die()
        switch deed {
        case .refresh: clock.advance(by: RotatingServer.lifetime)
        case .settle: clock.advance(by: RotatingServer.lifetime - .seconds(1))
        default: break
        }
    }

    func start(_ fate: Fate, account: String = "me") async throws -> Start {
        Start(try await place.store(account, fate), server, fate, clock: clock)
    }

    /// A start after the operation.
    func next(_ fate: Fate = Fate()) async throws -> Start {
        switch deed {
        case .migrate:
            let new = try await start(fate, account: "new")
            try await place.store("me", fate).migrate(to: new.store)
            return new
        case .rotateKey:
            guard let store = try await place.storeWithNewKey(fate) else { return try await start(fate) }
            return Start(store, server, fate, clock: clock)
        default: return try await start(fate)
        }
    }

    /// Performs the operation, in which the call with this number goes wrong.
    func perform(_ mishap: Mishap?, at number: Int) async throws -> Performance {
        let fate = Fate()
        var held: Start?
        if deed == .adopt {
            held = try await start(fate)
            _ = try await held?.auth.validToken()
            clock.advance(by: RotatingServer.lifetime)
            let sibling = try await start(Fate())
            _ = try await sibling.auth.validToken()
            try await sibling.auth.settle(within: .seconds(60))
            sibling.fate.die()
        }
        fate.begin(mishap, at: number)
        let started = Lock(held)
        let task = Task { () -> Result<Void, any Error> in
            do {
                return .success(try await perform(with: fate, started))
            } catch {
                return .failure(error)
            }
        }
        return await Performance(of: task, fate, mishap, clock) {
            guard let auth = started.withLock({ $0 })?.auth else { return true }
            return (try? await auth.settle(within: .seconds(60))) != nil
        } hasNamedError: {
            started.withLock { $0 }?.hasNamedError ?? false
        }
    }

    private func perform(with fate: Fate, _ started: Lock<Start?>) async throws {
        switch deed {
        case .migrate:
            let new = try await place.store("new", fate)
            _ = try await place.store("me", fate).migrate(to: new)
        case .rotateKey: try await place.rotateKey(fate)
        case .remove: try await place.remove("me", fate)
        default:
            let held = started.withLock { $0 }
            let start = if let held { held } else { try await start(fate) }
            started.withLock { $0 = start }
            switch deed {
            case .firstSignIn, .signIn: try await start.signIn()
            case .settle:
                _ = try await start.auth.validToken()
                try await start.auth.settle(within: .seconds(60))
            case .signOut: try await start.auth.signOut()
            case .reset: await start.auth.reset()
            default: _ = try await start.auth.validToken()
            }
        }
    }
}
