// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// One of the processes that share a credential. It reads commands from standard input, one per line, and reports to
/// the server.
///
///     signIn          sign in, then the same as go
///     signInAsOther   sign in as another user, report that when the sign-in is in the store, then the same as go
///     go              get a token and use it
///     signOut         sign out, and report it
///     remove          remove the account, and report it
///     clear           clear the store, and report it
///     control N       wait for a bare lock with all others, and report the time: round N
///     die POINT       die at this ``KillPoint`` from now on
public struct Worker: Sendable {
    private let client: LoopbackClient
    private let service: StressTokenService
    private let execution: Execution
    private let clock: any AuthorizationClock
    private let folder: StressFolder
    private let store: any SharedTokenStore<StressToken>
    private let auth: RefreshableTokenAuthorization<StressToken>
    private let withoutBinding: Bool

    /// Creates a worker with the store that its options name.
    public static func make(_ options: WorkerOptions) async throws -> Worker {
        let folder = StressFolder(options.folder)
        let page = try ClockPage(opening: folder.clock)
        let execution = Execution { FileHandle.standardOutput.write(Data("L".utf8)) }
        guard options.isReplica else {
            return Worker(options, store: folder.tokenStore(execution), clock: page, execution: execution)
        }
        #if Fleet
        let setting = try FleetSetting(contentsOf: folder.fleet)
        let clock = OffsetClock(base: page, offset: setting.offset(of: options.name.worker))
        // Tokens expire faster here than on real servers, and replicas whose clocks differ refresh each other's tokens.
        let policy = RefreshPolicy(storm: .init(limit: 1_000_000))
        return Worker(
            options, store: try await setting.tokenStore(clock: clock), clock: clock, policy: policy,
            execution: execution)
        #else
        throw FleetUnavailable()
        #endif
    }

    private init(
        _ options: WorkerOptions, store base: some SharedTokenStore<StressToken>, clock: any AuthorizationClock,
        policy: RefreshPolicy = .default, execution: Execution
    ) {
        self.clock = clock
        client = LoopbackClient(port: options.port, process: options.name)
        self.execution = execution
        service = StressTokenService(client: client, clock: clock, execution: execution)
        let store = StressStore(
            base: base, execution: execution,
            controls: .init(
                withoutLock: options.withoutLock, withoutIntent: options.withoutIntent,
                withoutWatch: options.withoutWatch, withoutEnd: options.withoutEnd))
        self.store = store
        folder = StressFolder(options.folder)
        auth = RefreshableTokenAuthorization(service: service, store: store, policy: policy, clock: clock)
        withoutBinding = options.withoutBinding
    }

    /// Returns when standard input ends.
    public func run() async throws {
        for await line in Self.commands() {
            let words = line.split(separator: " ")
            switch words.first {
            case "signIn": try await signIn()
            case "signInAsOther":
                try await signIn {
                    let token = auth.currentToken?.authorizationHeaderValue
                    _ = try await client.send("/replaced", fields: ["Authorization": token ?? ""])
                }
            case "go": try await useToken()
            case "signOut":
                await auth.reset()
                try await auth.settle(within: .seconds(10))
                _ = try await client.send("/ended")
            case "remove":
                try await folder.accounts.remove(folder.account)
                _ = try await client.send("/ended")
            case "clear":
                try await store.clear()
                _ = try await client.send("/ended")
            case "control":
                let round = words.last.flatMap { Int($0) } ?? 0
                let waited = try await BareWait(folder: folder.url, client: client).take(round: round)
                _ = try await client.send("/control", fields: ["Lock-Waits": Self.seconds(waited)])
            case "die": words.last.flatMap { KillPoint(rawValue: String($0)) }.map(execution.arm)
            default: break
            }
        }
        // With exclusive access, no refresh of this process is under way any more.
        try await store.lock(within: .seconds(30)).unlock()
    }

    // MARK: -

    private func signIn(then report: () async throws -> Void = {}) async throws {
        do {
            try await auth.signIn { try await service.logIn() }
        } catch {
            return try await self.report(error, held: .zero)
        }
        try await report()
        try await useToken()
    }

    /// Makes a request. It makes another one if the library allows a later try, or if another user has signed in.
    private func useToken() async throws {
        while true {
            let request = UseRequest(number: execution.nextRequest())
            var began = ContinuousClock.now
            do {
                let answer = try await send(request) { request in
                    let held = ContinuousClock.now - began
                    execution.pass(.publish)
                    defer { began = .now }
                    return try await client.send("/use", fields: fields(of: request, held: held))
                }
                if answer.status == 200 { return }
            } catch {
                try await report(error, held: ContinuousClock.now - began)
                if (error as? NotAuthorized)?.reason == .sessionReplaced { continue }
                guard let failed = error as? RefreshFailed else { return }
                try await clock.sleep(for: .seconds(max(0, failed.nextTryAt.timeIntervalSince(clock.now))))
            }
        }
    }

    /// Sends a request, and sends it again after a 401.
    private func send(
        _ request: UseRequest, transport: (UseRequest) async throws -> LoopbackClient.Answer
    ) async throws -> LoopbackClient.Answer {
        guard withoutBinding else {
            return try await auth.send(
                request, unauthorized: { $0.status == 401 ? UnauthorizedResponse() : nil }, transport: transport)
        }
        while true {
            do {
                let authorized = try await auth.authorize(request)
                let answer = try await transport(authorized)
                guard answer.status == 401 else { return answer }
                try await auth.setNeedsRefreshAfterUnauthorizedResponse(for: authorized)
            } catch let error as NotAuthorized where error.reason == .sessionReplaced {
                // The defect under test: the request is sent again in the session that is current now.
            }
        }
    }

    private func fields(of request: UseRequest, held: Duration) -> [String: String] {
        let fields = [
            "Authorization": request.authorization ?? "", "Held": Self.seconds(held), "Request": "\(request.number)",
        ]
        return fields.merging(lockWaits) { one, _ in one }
    }

    /// Reports the error that the worker got in place of a token.
    private func report(_ error: any Error, held: Duration) async throws {
        var fields = ["Held": Self.seconds(held), "Failure": "\(error)"]
        if let failed = error as? RefreshFailed { fields["Failure"] = "\(failed.underlying)" }
        if let error = error as? NotAuthorized {
            if error.needsSignIn { fields["Signed-Out"] = "yes" }
            if error.reason == .sessionReplaced { fields["Replaced"] = "yes" }
        }
        _ = try await client.send("/failed", fields: fields.merging(lockWaits) { one, _ in one })
    }

    private var lockWaits: [String: String] {
        let waits = execution.takeLockWaits()
        return waits.isEmpty ? [:] : ["Lock-Waits": waits.map { "\($0)" }.joined(separator: ",")]
    }

    private static func seconds(_ duration: Duration) -> String { String(duration / .seconds(1)) }

    /// The lines of standard input, read on their own thread.
    private static func commands() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }.start()
        return stream
    }
}
