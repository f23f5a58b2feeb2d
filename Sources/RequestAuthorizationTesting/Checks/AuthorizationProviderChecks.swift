// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that an `AuthorizationProvider` conforms, in one line of a test.
///
///     @Test func `my provider is one`() async throws {
///         try await AuthorizationProviderChecks { MyAuthorization() }.run()
///     }
///
/// The closure creates a provider that has a credential or can get one. It is called for each check, and may return the
/// same provider each time. One check simulates a 401, so a scripted service needs an answer for one refresh.
///
/// The checks: a credential of legal characters is set, and no other field is changed; another authorization replaces
/// it; each of 1 000 concurrent calls gets its own request back; a cancelled call ends with a credential or a
/// `CancellationError`; plain `http` is refused; after a 401 the answer counts, the session is over, or there is another
/// credential of the same session; the same fields are at hand; a credential that depends on the target is for one request;
/// it does not print its credential.
public struct AuthorizationProviderChecks: Sendable {
    private let origin: Origin
    private let allowsPlaintext: Bool
    private let limit: Duration
    private let clock: any AuthorizationClock
    private let waiting: (@Sendable () async throws -> any AuthorizationProvider)?
    private let provider: @Sendable () async throws -> any AuthorizationProvider

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - origin: the origin of the requests, for a provider that is restricted to origins.
    ///   - allowsPlaintext: whether the provider is meant to authorize plain `http` to the same host too.
    ///   - limit: how long each check may take; long, so that no check fails on a busy machine.
    ///   - clock: the clock for `limit`, and for the 100 ms before a wait is cancelled.
    ///   - waiting: creates a provider that waits for a credential that never comes, to check that cancellation ends
    ///     the wait. The closure is called twice. Without it this is not checked.
    ///   - provider: creates the provider.
    public init(
        origin: Origin = "https://api.example.com", allowsPlaintext: Bool = false, limit: Duration = .seconds(120),
        clock: any AuthorizationClock = .system,
        waiting: (nonisolated(nonsending) @Sendable () async throws -> any AuthorizationProvider)? = nil,
        _ provider: nonisolated(nonsending) @escaping @Sendable () async throws -> any AuthorizationProvider
    ) {
        (self.origin, self.allowsPlaintext, self.limit, self.clock) = (origin, allowsPlaintext, limit, clock)
        (self.waiting, self.provider) = (waiting, provider)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled; the closure's error.
    public func run() async throws {
        let subject = "\(type(of: try await provider()))"
        try await Check.run(checks, of: subject, within: limit, of: clock)
    }

    private var checks: [Check] {
        var checks = [
            check("sets a credential and leaves other fields alone") {
                try await $0.authorize($1).checkAuthorized(from: $1)
            },
            check("replaces an earlier credential") { try await checkReplacing($0, $1) },
            check("authorizes 1000 requests at a time") { try await checkConcurrency($0, $1) },
            check("treats a cancelled call as cancelled") { try await checkCancelled($0, $1) },
            check(allowsPlaintext ? "allows plain http" : "refuses plain http") { try await checkPlaintext($0, $1) },
            check("does not show its credential") {
                try await Leak.check($0, for: $0.authorize($1).credentials.values)
            },
            check("answers a 401 with NotAuthorized or another try") { try await checkUnauthorized($0, $1) },
            check("has the same fields at hand") { try await checkAtHand($0, $1) },
            check("says what is for one request") { provider, _ in try await checkOneRequest(provider) },
        ]
        if let waiting { checks.append(Check("stops waiting when cancelled") { try await checkWaiting(waiting) }) }
        return checks
    }

    /// A check of a new provider with a request.
    private func check(
        _ name: String, _ body: @escaping @Sendable (any AuthorizationProvider, ProbeRequest) async throws -> Void
    ) -> Check {
        Check(name) { try await body(provider(), ProbeRequest(to: origin)) }
    }

    private func checkReplacing(_ provider: any AuthorizationProvider, _ request: ProbeRequest) async throws {
        let once = try await provider.authorize(request)
        let twice = try await provider.authorize(once)
        try twice.checkAuthorized(from: request)
        for (name, value) in once.credentials {
            let second = twice.credentials[name] ?? ""
            try require(second == value || !second.contains(value), "added to the field \(name) and did not replace it")
        }
    }

    private func checkConcurrency(_ provider: any AuthorizationProvider, _: ProbeRequest) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...1000 {
                group.addTask {
                    let request = ProbeRequest(number: number, to: origin)
                    try await provider.authorize(request).checkAuthorized(from: request)
                }
            }
            try await group.waitForAll()
        }
    }

    private func checkCancelled(_ provider: any AuthorizationProvider, _ request: ProbeRequest) async throws {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await provider.authorize(request)
        }
        do { try await task.value.checkAuthorized(from: request) } catch is CancellationError {}
    }

    private func checkWaiting(_ make: @Sendable () async throws -> any AuthorizationProvider) async throws {
        // A cancellation may come before the provider waits, and while it does.
        for delay in [Duration.zero, .milliseconds(100)] {
            let provider = try await make()
            let request = ProbeRequest(to: origin)
            let task = Task { try await provider.authorize(request) }
            defer { task.cancel() }
            if delay > .zero { try await clock.sleep(for: delay) }
            task.cancel()
            do { _ = try await task.value } catch is CancellationError { continue }
            throw CheckProblem("had a credential, but should have waited for one")
        }
    }

    private func checkPlaintext(_ provider: any AuthorizationProvider, _: ProbeRequest) async throws {
        // To this machine plain http is never refused.
        let host = origin.isLoopback && !allowsPlaintext ? "api.example.com" : origin.host
        let port = origin.isPlaintext && host == origin.host ? origin.port : nil
        let request = ProbeRequest(to: Origin(scheme: "http", host: host, port: port))
        do {
            let authorized = try await provider.authorize(request)
            if allowsPlaintext { return try authorized.checkAuthorized(from: request) }
            try require(authorized.credentials.isEmpty, "put its credential on a request that others can read")
        } catch let error as NotAuthorized where !allowsPlaintext {
            try require(!error.needsSignIn, "asked for a sign-in, which would not help")
        }
    }

    private func checkUnauthorized(_ provider: any AuthorizationProvider, _ request: ProbeRequest) async throws {
        let credential = try await provider.credential(for: request)
        var refused = request
        try refused.set(credential)
        let response = UnauthorizedResponse(fields: ["WWW-Authenticate": [#"Bearer error="invalid_token""#]])
        let verdict: Verdict
        do {
            verdict = try await credential.judge(response)
        } catch let error as NotAuthorized {
            let leak = Leak.find(refused.credentials.values, in: error)
            return try require(leak == nil, "the error shows the credential")
        }
        if verdict == .accept { return }
        let next = try await provider.credential(for: request)
        try credential.admit(next)
        var again = request
        try again.set(next)
        try again.checkAuthorized(from: request)
        guard verdict == .anew else { return }
        try require(again.credentials != refused.credentials, "promised another credential and sent the same one")
    }

    private func checkAtHand(_ provider: any AuthorizationProvider, _ request: ProbeRequest) async throws {
        _ = try await provider.credential(for: request)
        guard let atHand = try provider.credentialAtHand(for: request), !atHand.isForOneRequest else { return }
        let awaited = try await provider.credential(for: request)
        let (one, other) = (Set(atHand.fields.map(\.name)), Set(awaited.fields.map(\.name)))
        try require(one == other, "sets other fields with credentialAtHand(for:) than with credential(for:)")
    }

    /// A client carries on over a redirect within the origin what is not for one request.
    private func checkOneRequest(_ provider: any AuthorizationProvider) async throws {
        var seen: [Set<[String]>] = [[], []]
        var isForOneRequest = true
        for call in 0..<32 {
            // An order without a period: a provider may use one of several credentials, in turn or by chance.
            let number = call.nonzeroBitCount % 2
            let credential = try await provider.credential(for: ProbeRequest(number: number, to: origin))
            seen[number].insert(credential.fields.map { "\($0.name): \($0.value)" }.sorted())
            isForOneRequest = isForOneRequest && credential.isForOneRequest
        }
        // One that changes for the same request, for instance with the time, proves nothing.
        guard seen.allSatisfy({ $0.count == 1 }), seen[0] != seen[1] else { return }
        try require(isForOneRequest, "depends on the target, and isForOneRequest is false")
    }
}
