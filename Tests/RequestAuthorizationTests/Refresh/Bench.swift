// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import TestProviders

/// A provider whose clock, service and random numbers a test moves by hand.
struct Bench {
    let clock: ManualClock
    let service: ScriptedTokenService<TestToken>
    let held = Tally()
    let auth: RefreshableTokenAuthorization<TestToken>

    /// - Parameters:
    ///   - lifetime: of the initial token, named `old`; `nil` for none.
    ///   - random: 1 waits every back-off whole and refreshes as late as the jitter allows.
    ///   - script: the steps of the service.
    static func make(
        holding lifetime: Duration? = .seconds(100), policy: RefreshPolicy = .impatient,
        store: (any TokenStore<TestToken>)? = nil, random: Double = 1,
        _ script: ScriptedTokenService<TestToken>.Step...
    ) -> Bench {
        let clock = ManualClock()
        let service = ScriptedTokenService<TestToken>(clock: clock)
        for step in script { service.append(step) }
        let token = lifetime.map { TestToken("old", expiresAt: clock.now.addingTimeInterval($0.inSeconds)) }
        return Bench(
            clock: clock, service: service, token: store == nil ? token : nil, store: store, policy: policy,
            random: random)
    }

    private init(
        clock: ManualClock, service: ScriptedTokenService<TestToken>, token: TestToken?,
        store: (any TokenStore<TestToken>)?, policy: RefreshPolicy, random: Double
    ) {
        self.clock = clock
        self.service = service
        auth = RefreshableTokenAuthorization(
            service: service, token: token, store: store, policy: policy, clock: clock, random: { random },
            onHold: { [held] in held.add() })
    }

    /// The name of the token that a request gets.
    func name() async throws -> String { try await auth.validToken().name }

    /// This many requests, which are held when this returns, in order.
    func hold(_ count: Int) async -> [Task<String, any Error>] {
        var tasks: [Task<String, any Error>] = []
        for _ in 0..<count {
            let before = held.count
            tasks.append(Task { try await name() })
            await held.reaches(before + 1)
        }
        return tasks
    }

    /// A request as it was sent with a token.
    func sent(with name: String) -> TokenBearer { TokenBearer(header: "Bearer \(name)") }

    /// The provider's next event of a kind.
    func event(_ kind: AuthorizationEvent.Kind, while body: () async throws -> Void) async rethrows
        -> AuthorizationEvent?
    {
        var events = auth.events.makeAsyncIterator()
        try await body()
        while let event = await events.next() { if event.kind == kind { return event } }
        return nil
    }
}

/// A request of which only the credential matters.
struct TokenBearer: AuthorizableRequest {
    var header: String?

    var origin: Origin? { "https://api.example.com" }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { header }
    mutating func setCredential(_ value: String, in field: String) { header = value }
}

struct Offline: Error {}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
