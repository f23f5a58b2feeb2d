// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage
import SimulationCheck

/// The program of a process: a provider with its store, and what is done with it. All calls are made as the process.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class Program: @unchecked Sendable {
    typealias Provider = RefreshableTokenAuthorization<SimulatedToken>

    let process: SimulatedProcess
    private let network: Network
    private let ledger: Ledger
    private let service: SimulatedService
    private var auth: Provider?
    private var inside: RestrictedAuthorization?
    private var tasks: [Int: Task<Void, Never>] = [:]
    private(set) weak var provider: Provider?
    /// The requests and other calls that have not ended.
    private(set) var openCalls = 0
    private(set) var hasEnded = false

    init(
        _ process: SimulatedProcess, _ network: Network, store: some SharedTokenStore<SimulatedToken>,
        clock: SimulatedClock, policy: RefreshPolicy
    ) {
        (self.process, self.network, ledger) = (process, network, network.ledger)
        service = SimulatedService(network, process, clock)
        let auth = Provider(service: service, store: store, policy: policy, clock: clock)
        inside = auth.restricted(to: Set(ResourceRequest.hosts.map { Origin(host: $0) }), elsewhere: .passThrough)
        (self.auth, provider) = (auth, auth)
    }

    // MARK: Requests

    func request(_ number: Int, redirectsTo redirect: String?, isProbe: Bool = false) {
        guard let inside else { return }
        ledger.note(.requestBegan(request: number, process: process.number, isProbe: isProbe))
        openCalls += 1
        tasks[number] = Task {
            let outcome: Outcome
            do {
                outcome = .answered(try await follow(number, redirect, with: inside))
            } catch is CancellationError {
                outcome = .cancelled
            } catch {
                outcome = .failed("\(error)")
            }
            tasks[number] = nil
            openCalls -= 1
            ledger.note(.requestEnded(request: number, outcome))
        }
    }

    func cancel(_ number: Int) { tasks[number]?.cancel() }

    /// Sends a request, and follows redirects as a client does that knows the provider.
    private func follow(_ number: Int, _ redirect: String?, with inside: RestrictedAuthorization) async throws -> Int {
        var request = ResourceRequest(number: number, host: "api.example", redirect: redirect)
        while true {
            let response = try await inside.send(request) { try await network.send($0, from: process) }
            guard let next = response.location else { return response.statusCode }
            request = ResourceRequest(number: number, host: next)
        }
    }

    // MARK: Sessions

    func signIn(_ user: String, setsToken: Bool) {
        run { [self] auth in
            ledger.note(.signInBegan(process: process.number))
            let family: Int?
            if setsToken {
                let token = try await service.signIn(user)
                family = Place(token.refresh)?.family
                try await auth.setToken(token)
            } else {
                let signedIn = Signed()
                try await auth.signIn { [service] in
                    let token = try await service.signIn(user)
                    signedIn.family = Place(token.refresh)?.family
                    return token
                }
                family = signedIn.family
            }
            if let family { ledger.note(.signedIn(process: process.number, family: family)) }
        }
    }

    func signOut(tellsServer: Bool) {
        run { [self] auth in
            ledger.note(.signOutBegan(process: process.number))
            if tellsServer { try await auth.signOut() } else { await auth.reset() }
            ledger.note(.signedOut(process: process.number))
        }
    }

    // MARK: The end

    func settle() { run { try await $0.settle(within: .seconds(20)) } }

    /// Ends the provider as a service does, and drops it.
    func shutDown(mustSettle: Bool) {
        guard auth != nil else { return }
        run { [self] auth in
            do {
                try await auth.shutdown(within: .seconds(60))
            } catch where mustSettle {
                ledger.note(.left(process: process.number, what: "\(error)"))
            }
        }
        (auth, inside, hasEnded) = (nil, nil, true)
    }

    private func run(_ body: @escaping @Sendable (Provider) async throws -> Void) {
        guard let auth else { return }
        openCalls += 1
        Task {
            try? await body(auth)
            openCalls -= 1
        }
    }

    /// - `@unchecked`: as ``Program``.
    private final class Signed: @unchecked Sendable { var family: Int? }
}
