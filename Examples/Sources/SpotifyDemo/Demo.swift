// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import LocalSpotify
public import RequestAuthorizationSpotify
import RequestAuthorizationURLSession

/// Calls an embedded Spotify through `URLSession` while its tokens expire and are revoked, and counts the results.
///
///     let report = try await Demo(DemoOptions(requests: 60, tokenLifetime: 1)).run()
///     print(report.table)
public struct Demo: Sendable {
    private let options: DemoOptions
    private let plan: DemoPlan
    private let clock: any AuthorizationClock
    private let progress: @Sendable (_ ended: Int) -> Void
    /// The time limit of a call and of a refresh. It is short with faults, because some calls then hang.
    var timeout: Duration

    /// - Parameters:
    ///   - options: the options of the run.
    ///   - clock: tells when tokens expire, and waits between the calls.
    ///   - progress: called with the number of calls that have ended.
    public init(
        _ options: DemoOptions, clock: any AuthorizationClock = .system,
        progress: @escaping @Sendable (_ ended: Int) -> Void = { _ in }
    ) {
        self.options = options
        self.clock = clock
        self.progress = progress
        plan = DemoPlan(options)
        timeout = options.faults ? .seconds(3) : .seconds(30)
    }

    /// Starts the server, signs in, makes the calls and signs out.
    ///
    /// - Throws: if the server does not start, the sign-in fails, or the provider does not end. A failed call is not an
    ///   error, but is counted.
    public func run() async throws -> DemoReport {
        let tokens = TokenPolicy(
            rotation: options.rotation, accessTokenLifetime: .seconds(options.tokenLifetime),
            grace: options.faults ? .seconds(5) : .zero)
        let spotify = try LocalSpotify(policy: tokens, clock: clock)
        return try await spotify.serve { try await run(at: spotify, $0) }
    }

    // MARK: -

    private func run(at spotify: LocalSpotify, _ url: URL) async throws -> DemoReport {
        let began = ContinuousClock.now
        let service = SpotifyTokenService.pkce(
            clientID: LocalSpotify.Client.local.id, redirectURI: "local-app://login-callback",
            accounts: .spotify(accounts: url), pendingSignIns: InMemoryPendingSignIns(),
            transport: ImpatientTransport(URLSession.shared, timeout: timeout), clock: clock)
        let auth = RefreshableTokenAuthorization(service: service, policy: policy, clock: clock)
        let (changes, change) = AsyncStream.makeStream(of: TokenChange<OAuthToken>.self)
        let observation = auth.onTokenChange { change.yield($0) }

        try await auth.signIn { try await signIn(with: service, at: spotify) }
        let (tally, waves) = await makeCalls(at: spotify, url, auth)
        await auth.reset()
        try await auth.shutdown(within: .seconds(10))

        var report = DemoReport()
        report.requests = options.requests
        report.waves = waves
        tally.enter(in: &report)
        await enter(changes, in: &report)
        observation.cancel()
        enter(await spotify.statistics, in: &report)
        report.revocations = plan.waves.count { $0.revokes }
        report.seconds = (ContinuousClock.now - began) / .seconds(1)
        return report
    }

    /// Signs in and allows all scopes, as a user would on the consent page.
    private func signIn(with service: SpotifyTokenService, at spotify: LocalSpotify) async throws -> OAuthToken {
        let pending = try await service.signIn(scopes: [.userReadPlaybackState, .playlistReadPrivate])
        return try await service.finish(callback: spotify.callback(for: pending.url))
    }

    /// Sends the waves, with a limit on concurrent calls.
    private func makeCalls(
        at spotify: LocalSpotify, _ url: URL, _ auth: RefreshableTokenAuthorization<OAuthToken>
    ) async -> (CallTally, [DemoWave]) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = DemoPlan.mostAtATime
        let client = WebAPIClient(
            base: url, session: URLSession(configuration: configuration), authorization: auth,
            timeout: timeout / .seconds(1))
        var calls = RunningCalls(
            limit: DemoPlan.mostAtATime, patience: patience, clock: clock, progress: progress)
        var number = 0
        var waves: [DemoWave] = []
        let began = clock.uptime
        for wave in plan.waves {
            try? await clock.sleep(for: wave.pause)
            let time = (clock.uptime - began) / .seconds(1)
            let before = await spotify.statistics
            await prepare(wave, at: spotify, auth)
            for _ in 0..<wave.calls {
                let current = number
                number += 1
                await calls.begin { try await client.call(current) }
            }
            await calls.finish()
            waves.append(DemoWave(wave, at: time, before, await spotify.statistics))
        }
        return (calls.tally, waves)
    }

    private func prepare(
        _ wave: DemoPlan.Wave, at spotify: LocalSpotify, _ auth: RefreshableTokenAuthorization<OAuthToken>
    ) async {
        for planned in wave.faults {
            await spotify.inject(planned.fault, on: planned.target, times: planned.times)
        }
        guard wave.revokes else { return }
        // The revocation has an effect only on a token that is valid and not just being replaced.
        _ = try? await auth.validToken()
        if await !spotify.newestAccessToken(hasLeft: 0.25) {
            try? await clock.sleep(for: .seconds(options.tokenLifetime) / 4)
            _ = try? await auth.validToken()
        }
        await spotify.revokeAccessTokens()
    }

    /// The time without progress after which all calls that have not ended count as lost.
    private var patience: Duration { (plan.waves.map(\.pause).max() ?? .zero) + .seconds(40) }

    /// Tries failed refreshes again before the next wave, also with very short token lifetimes.
    private var policy: RefreshPolicy {
        var policy = RefreshPolicy.default
        policy.backOff.initial = .seconds(options.tokenLifetime) / 4
        return policy
    }

    /// Counts the tokens until the session ends.
    private func enter(_ changes: AsyncStream<TokenChange<OAuthToken>>, in report: inout DemoReport) async {
        var tokens = 0
        for await change in changes {
            switch change {
            case .tokenUpdated: tokens += 1
            case .tokenInvalidated(let error):
                report.expiries = max(0, tokens - 1)
                report.sessionsLost = error.reason == .signedOut ? 0 : 1
                return
            }
        }
    }

    private func enter(_ statistics: Statistics, in report: inout DemoReport) {
        report.unauthorized = statistics.unauthorized
        report.tokenCalls = statistics.tokenCalls
        report.duplicateTokenCalls = statistics.duplicateTokenCalls
        report.retriesAfterLostAnswer = statistics.retriesAfterLostAnswer
        report.sessionsLost = max(report.sessionsLost, statistics.sessionsLost)
        report.faults = statistics.faults
    }
}

extension DemoWave {
    init(_ wave: DemoPlan.Wave, at seconds: Double, _ before: Statistics, _ after: Statistics) {
        (self.seconds, calls, revoked) = (seconds, wave.calls, wave.revokes)
        unauthorized = after.unauthorized - before.unauthorized
        refreshes = after.tokenCalls - before.tokenCalls
    }
}
