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
    private let item: SharedItem
    let activity: SimulatedActivity?
    private var tasks: [Int: Task<Void, Never>] = [:]
    private(set) weak var provider: Provider?
    /// The requests and other calls that have not ended.
    private(set) var openCalls = 0
    private(set) var hasEnded = false

    init(
        _ process: SimulatedProcess, _ network: Network, store: some SharedTokenStore<SimulatedToken>,
        item: SharedItem, activity: SimulatedActivity? = nil, clock: SimulatedClock, policy: RefreshPolicy
    ) {
        (self.item, self.activity) = (item, activity)
        (self.process, self.network, ledger) = (process, network, network.ledger)
        service = SimulatedService(network, process, clock)
        let auth = Provider(service: service, store: store, policy: policy, clock: clock)
        inside = auth.restricted(to: Set(ResourceRequest.hosts.map { Origin(host: $0) }), elsewhere: .passThrough)
        (self.auth, provider) = (auth, auth)
    }

    /// Follows the events and the tokens of the provider until it is gone.
    func observe() {
        guard let auth else { return }
        let (events, changes) = (auth.events, auth.tokenChanges)
        openCalls += 2
        Task {
            for await event in events { ledger.remark(process, "\(event)") }
            openCalls -= 1
        }
        Task {
            for await change in changes { ledger.remark(process, "\(change)") }
            openCalls -= 1
        }
    }

    // MARK: Requests

    /// Sends a request, and follows its redirects. Each hop is a request of its own.
    ///
    /// - Returns: the number of the request.
    @discardableResult
    func request(redirectsTo redirect: String?, isProbe: Bool = false) -> Int {
        guard let inside else { return 0 }
        let number = ledger.nextRequest()
        openCalls += 1
        tasks[number] = Task {
            await send(ResourceRequest(number: number, host: "api.example", redirect: redirect), isProbe, with: inside)
            tasks[number] = nil
            openCalls -= 1
        }
        return number
    }

    func cancel(_ number: Int) { tasks[number]?.cancel() }

    private func send(_ request: ResourceRequest, _ isProbe: Bool, with inside: RestrictedAuthorization) async {
        ledger.note(.requestBegan(request: request.number, process: process.number, isProbe: isProbe))
        let outcome: Outcome
        var next: String?
        do {
            let response = try await inside.send(request) { try await network.send($0, from: process) }
            (outcome, next) = (.answered(response.statusCode), response.location)
        } catch is CancellationError {
            outcome = .cancelled
        } catch {
            outcome = .failed("\(error)")
        }
        ledger.note(.requestEnded(request: request.number, outcome))
        guard let next else { return }
        await send(ResourceRequest(number: ledger.nextRequest(), host: next), isProbe, with: inside)
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

    // MARK: Tokens

    func refresh() { run { _ = try await $0.refreshNow() } }

    func token(lasting duration: Duration) { run { _ = try await $0.validToken(lasting: duration) } }

    func retry() { run { await $0.retryNow() } }

    func use(_ use: Plan.ItemUse) { run { [item] _ in try await item.use(use) } }

    // MARK: The end

    /// Drops the provider without waiting for anything.
    func drop() { (auth, inside, hasEnded) = (nil, nil, true) }

    func settle() { run { try await $0.settle(within: .seconds(20)) } }

    /// Ends the provider as a service does, and drops it.
    func shutDown(mustSettle: Bool) {
        guard auth != nil else { return }
        run { [self] auth in
            do {
                try await auth.shutdown(within: .seconds(60))
            } catch  where mustSettle {
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
