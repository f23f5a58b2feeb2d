// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
public import RequestAuthorization

/// A stand-in for Spotify on this machine: the accounts service and the Web API, with faults on demand.
///
///     let spotify = try LocalSpotify(policy: TokenPolicy(rotation: .on, accessTokenLifetime: .seconds(2)))
///     try await spotify.serve { url in
///         let code = await spotify.makeCode()                            // what a consent page would end with
///         …                                                              // POST url/api/token, GET url/v1/me
///         await spotify.inject(.slow(.seconds(1)), on: .tokenEndpoint)
///     }
///     print(await spotify.statistics.duplicateTokenCalls)
///
/// Sign-ins are kept from one `serve` to the next.
public actor LocalSpotify {
    /// The counts since the start.
    public var statistics: Statistics {
        var statistics = counts
        statistics.sessionsLost = accounts.families.endedFamilies
        return statistics
    }

    /// The calls of the token endpoint, in the order in which they were decided.
    public var tokenCalls: [TokenCall] { log.calls }

    var accounts: AccountsService
    let clock: any AuthorizationClock
    var webAPI: WebAPI
    private var faults = FaultPlan()
    private var log: TokenCallLog
    private var counts = Statistics()

    /// - Parameters:
    ///   - policy: how tokens live and are replaced.
    ///   - clients: the apps that are registered.
    ///   - mode: which calls the Web API offers, and what its answers contain.
    ///   - logFile: a file to append the token calls to, a JSON line each.
    ///   - clock: the time for expiry and for delayed answers.
    public init(
        policy: TokenPolicy = TokenPolicy(), clients: [Client] = [.local, .localConfidential],
        mode: Mode = .developmentMode, logFile: URL? = nil, clock: any AuthorizationClock = .system
    ) throws {
        accounts = AccountsService(policy: policy, clients: clients)
        webAPI = WebAPI(mode: mode)
        log = try TokenCallLog(file: logFile)
        self.clock = clock
    }

    /// Signs the user in without a page and returns a code, which can be exchanged once at the token endpoint.
    ///
    /// Any client may exchange it, even an unnamed one. For a code that is bound to a client see
    /// ``callback(for:decision:)``.
    ///
    /// - Parameter scopes: the scopes to grant; by default all.
    public func makeCode(scopes: Set<String>? = nil) -> String {
        accounts.makeCode(scopes: scopes ?? Scope.all, at: clock.now)
    }

    /// Injects a fault into the next calls. Faults for the same target happen one after the other.
    public func inject(_ fault: Fault, on target: Fault.Target, times: Int = 1) {
        faults.add(fault, on: target, times: times)
    }

    /// Drops the faults that have not happened yet.
    public func clearFaults() { faults.clear() }

    /// Revokes all access tokens now. Calls get 401 until the client has refreshed.
    public func revokeAccessTokens() { accounts.revokeAccessTokens() }

    /// Ends all sign-ins now. Refreshes get `invalid_grant` until the user signs in again.
    public func revokeSessions() { accounts.revokeFamilies() }

    /// Whether the access token that was issued last has more than a share of its life left and is not revoked.
    public func newestAccessToken(hasLeft share: Double) -> Bool {
        accounts.families.newestAccessToken(hasLeft: share, at: clock.now)
    }

    // MARK: -

    /// Serves a call, or injects the next fault for it.
    ///
    /// - Returns: `nil` if the connection is to end without an answer.
    func answer(to call: Call) async throws -> Answer? {
        // DNS rebinding: a foreign page must not use this machine's user by a name that resolves to this machine.
        guard call.isAddressedToLoopback else { return try .regularError(421, "Not a name of this machine") }
        guard let target = Fault.Target(path: call.path) else { return try serve(call) }
        let fault = faults.next(on: target)
        if fault != nil { counts.faults += 1 }
        if target == .webAPI { counts.webAPICalls += 1 }
        if fault?.keepsFromServing == true, target == .tokenEndpoint {
            try record(call, TokenDecision(outcome: .fault))
        }
        switch fault {
        case .status(let status): return try target.refusal(status)
        case .rateLimited(let seconds): return try target.refusal(429, fields: ["Retry-After": String(seconds)])
        case .dropped: return nil
        case .hang:
            await hang()
            return nil
        case .answerLost:
            _ = try serve(call, answerIsLost: true)
            return nil
        case .slow(let delay):
            let answer = try serve(call)
            try await clock.sleep(for: delay)
            return answer
        case nil: return try serve(call)
        }
    }

    /// Waits until the server stops.
    private func hang() async {
        while !Task.isCancelled { try? await clock.sleep(for: .seconds(3600)) }
    }

    private func serve(_ call: Call, answerIsLost: Bool = false) throws -> Answer {
        switch (call.method, call.path) {
        case ("GET", "/authorize"): accounts.authorize(call, at: clock.now)
        case ("POST", "/authorize"): accounts.decideConsent(call, at: clock.now)
        case ("POST", "/api/token"): try serveToken(call, answerIsLost)
        case ("POST", "/proxy/token"), ("POST", "/proxy/refresh"):
            try serveToken(accounts.completed(call), answerIsLost)
        case (_, "/api/token"), (_, "/proxy/token"), (_, "/proxy/refresh"): try refuseMethod(of: call)
        case ("POST", "/api/revoke"): try accounts.revoke(call)
        case ("POST", "/api/introspect"): try accounts.introspect(call, at: clock.now)
        case ("POST", "/api/device"): try accounts.beginDevice(call, at: clock.now)
        case ("GET", "/device"): accounts.showDevice(call, at: clock.now)
        case ("POST", "/device"): accounts.decideDevice(call, at: clock.now)
        case ("GET", "/.well-known/oauth-authorization-server"): try AccountsService.metadata(issuer: call.base)
        case (_, "/authorize"), (_, "/device"): Answer(status: 405, fields: ["Allow": "GET, POST"])
        case (_, "/.well-known/oauth-authorization-server"): Answer(status: 405, fields: ["Allow": "GET"])
        case (_, "/api/revoke"), (_, "/api/introspect"), (_, "/api/device"):
            Answer(status: 405, fields: ["Allow": "POST"])
        default: try serveWebAPI(call)
        }
    }

    private func serveToken(_ call: Call, _ answerIsLost: Bool) throws -> Answer {
        let decision = accounts.decide(on: call, at: clock.now)
        if answerIsLost { accounts.noteLostAnswer(to: decision) }
        try record(call, decision, answerLost: answerIsLost)  // before it is answered
        return try accounts.answer(to: decision)
    }

    private func refuseMethod(of call: Call) throws -> Answer {
        try record(call, TokenDecision(outcome: .badRequest))
        return Answer(status: 405, fields: ["Allow": "POST"])
    }

    private func serveWebAPI(_ call: Call) throws -> Answer {
        let token = call.authorization.flatMap(Self.bearerToken)
        let standing = token.map { accounts.families.standing(of: $0, at: clock.now) }
        if let refusal = try WebAPI.refusal(of: standing) {
            counts.unauthorized += 1
            return refusal
        }
        let grant = token.flatMap { accounts.families.grant(ofAccessToken: $0) } ?? Grant(scopes: [], hasUser: false)
        return try webAPI.answer(to: call, grant, at: clock.now)
    }

    /// The scheme is compared without case (RFC 9110 §11.1).
    private static func bearerToken(in field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    private func record(_ call: Call, _ decision: TokenDecision, answerLost: Bool = false) throws {
        let entry = TokenCall(
            time: clock.now, grant: call.form["grant_type"] ?? "", decision: decision, answerLost: answerLost)
        try log.append(entry)
        counts.count(entry)
    }
}
