// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token service that follows a test's script, call by call, and records each call.
///
///     let clock = ManualClock()
///     let service = ScriptedTokenService(
///         clock: clock, .token("a", lasts: .seconds(60)), .failure(Offline()), .held)
///     let auth = RefreshableTokenAuthorization(service: service, clock: clock)
///
/// Each call of `initialToken()` or `refresh(_:)` takes the next step. Pass the clock of the provider: a token's
/// lifetime counts from the call. A call beyond the script throws an error that says so.
public final class ScriptedTokenService<Token: AuthorizationToken>: RefreshableTokenService {
    package typealias Step = ScriptStep<Token?, Token>
    /// One recorded call.
    package typealias Call = ScriptedCall<Token?, Token>

    private let script: Script<Token?, Token>
    private let discards = Script<Token, Void>(owner: "discard", clock: .system, steps: [], forever: .success(()))
    private let revocations = Script<Token, Void>(owner: "revoke", clock: .system, steps: [], forever: .success(()))

    /// Creates a service with a script.
    ///
    /// - Parameters:
    ///   - clock: the provider's clock, from which lifetimes are counted.
    ///   - steps: one step for each call.
    ///   - forever: the step for all later calls.
    public init(
        clock: any AuthorizationClock = .system, _ steps: ScriptStep<Token?, Token>...,
        forever: ScriptStep<Token?, Token>? = nil
    ) {
        script = Script(owner: "ScriptedTokenService", clock: clock, steps: steps, forever: forever)
    }

    /// The number of calls of `initialToken()` and `refresh(_:)`.
    public var calls: Int { script.calls.count }

    /// The calls in order. The input is the token to refresh, or `nil` for a first token.
    public var history: [ScriptedCall<Token?, Token>] { script.calls }

    /// The tokens passed to `discard(_:)`, in order.
    public var discarded: [Token] { discards.calls.map(\.input) }

    /// The tokens passed to `revoke(_:)`, in order, whether revoked or not.
    public var revoked: [Token] { revocations.calls.map(\.input) }

    /// Makes the next revocation fail. Several failures apply to successive revocations; all others succeed.
    public func failRevocation(with error: any Error) { revocations.append([.failure(error)]) }

    /// Adds steps at the end of the script.
    public func append(_ steps: ScriptStep<Token?, Token>...) { script.append(steps) }

    /// Returns the next held call, and each one only once. Waits for it if needed.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func nextCall() async throws -> ScriptedCall<Token?, Token> { try await script.nextCall() }

    /// Suspends until at least this many calls have begun.
    ///
    /// Returns early only if the calling task is cancelled.
    public func calls(atLeast count: Int) async { await script.calls(atLeast: count) }

    /// Suspends until at least this many tokens have been passed to `discard(_:)`.
    ///
    /// Returns early only if the calling task is cancelled.
    public func discards(atLeast count: Int) async { await discards.calls(atLeast: count) }

    public func initialToken() async throws -> Token { try await script.call(nil) }
    public func refresh(_ token: Token) async throws -> Token { try await script.call(token) }
    public func discard(_ token: Token) async { try? await discards.call(token) }
    public func revoke(_ token: Token) async throws { try await revocations.call(token) }
}

extension ScriptedTokenService: OwnDescription {
    @usableFromInline package var ownDescription: String { "ScriptedTokenService(\(calls) calls)" }
}

extension ScriptStep where Input == TestToken?, Output == TestToken {
    /// Returns a token.
    ///
    /// - Parameters:
    ///   - name: the credential.
    ///   - lifetime: counted from the call, by the service's clock; `nil` for a token that does not expire.
    public static func token(_ name: String, lasts lifetime: Duration? = nil) -> Self {
        run { call in TestToken(name, expiresAt: call.date(after: lifetime)) }
    }

    /// Returns a token named after the number of the call: `token-1`, `token-2` and so on.
    public static func numberedToken(lasts lifetime: Duration? = nil) -> Self {
        run { call in TestToken("token-\(call.number)", expiresAt: call.date(after: lifetime)) }
    }
}
