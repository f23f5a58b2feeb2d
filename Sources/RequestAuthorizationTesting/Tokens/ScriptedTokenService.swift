// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A token service that does what a test wrote down, call by call, and records each call.
///
///     let clock = ManualClock()
///     let service = ScriptedTokenService(
///         clock: clock, .token("a", lasts: .seconds(60)), .failure(Offline()), .held)
///     let auth = RefreshableTokenAuthorization(service: service, clock: clock)
///
/// Each call takes the next step, whether it is `initialToken()` or `refresh(_:)`. Give it the clock of the provider: a
/// token lasts from the moment of the call. A call too many throws ``ScriptRanOut``.
public final class ScriptedTokenService<Token: AuthorizationToken>: RefreshableTokenService {
    /// One step of the script.
    public typealias Step = ScriptStep<TokenServiceInput<Token>, Token>
    /// One recorded call.
    public typealias Call = ScriptedCall<TokenServiceInput<Token>, Token>

    private let script: Script<TokenServiceInput<Token>, Token>
    private let discardedTokens = Lock<[Token]>([])
    private let revocations = Lock((tokens: [Token](), failures: [any Error]()))

    /// Writes the script.
    ///
    /// - Parameters:
    ///   - clock: what the lifetimes of tokens are counted on: the provider's.
    ///   - steps: one for each call.
    ///   - forever: the step for all calls after those.
    public init(clock: any AuthorizationClock = .system, _ steps: Step..., forever: Step? = nil) {
        script = Script(owner: "ScriptedTokenService", clock: clock, steps: steps, forever: forever)
    }

    /// How often a token was asked for, by `initialToken()` or `refresh(_:)`.
    public var calls: Int { script.calls.count }

    /// The calls in order, with the tokens that they were to refresh.
    public var history: [Call] { script.calls }

    /// The tokens that came too late and were handed to `discard(_:)`, in order.
    public var discarded: [Token] { discardedTokens.withLock { $0 } }

    /// The tokens that were handed to `revoke(_:)`, in order, whatever came of it.
    public var revoked: [Token] { revocations.withLock { $0.tokens } }

    /// Lets the next revocation fail that has no failure yet; all others succeed.
    public func failRevocation(with error: any Error) { revocations.withLock { $0.failures.append(error) } }

    /// Adds steps at the end of the script.
    public func append(_ steps: Step...) { script.append(steps) }

    /// Returns the next held call that has not been returned before, waiting for it if need be.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func nextCall() async throws -> Call { try await script.nextCall() }

    /// Suspends until at least so many calls have begun.
    ///
    /// It returns early only if the calling task is cancelled.
    public func calls(atLeast count: Int) async { await script.calls(atLeast: count) }

    public func initialToken() async throws -> Token { try await script.call(.initialToken) }
    public func refresh(_ token: Token) async throws -> Token { try await script.call(.refresh(token)) }
    public func discard(_ token: Token) async { discardedTokens.withLock { $0.append(token) } }
    public func revoke(_ token: Token) async throws {
        let failure = revocations.withLock { revocations in
            revocations.tokens.append(token)
            return revocations.failures.isEmpty ? nil : revocations.failures.removeFirst()
        }
        if let failure { throw failure }
    }
}

/// What a token service was asked for.
public enum TokenServiceInput<Token: AuthorizationToken>: Sendable {
    /// A first token.
    case initialToken
    /// The successor of this token.
    case refresh(Token)
}

extension TokenServiceInput: Equatable where Token: Equatable {}

extension TokenServiceInput: RedactedDescription {
    public var description: String {
        switch self {
        case .initialToken: "initialToken"
        case .refresh: "refresh([redacted])"
        }
    }
}

extension ScriptedTokenService: RedactedDescription {
    public var description: String { "ScriptedTokenService(\(calls) calls)" }
}

extension ScriptStep where Input == TokenServiceInput<TestToken>, Output == TestToken {
    /// Answers with a token.
    ///
    /// - Parameters:
    ///   - name: the credential.
    ///   - lifetime: counted from the call, on the service's clock; `nil` for a token that does not expire.
    public static func token(_ name: String, lasts lifetime: Duration? = nil) -> Self {
        run { call in TestToken(name, expiresAt: call.date(after: lifetime)) }
    }

    /// Answers with a token that is named after the number of the call: `token-1`, `token-2` and so on.
    public static func numberedToken(lasts lifetime: Duration? = nil) -> Self {
        run { call in TestToken("token-\(call.number)", expiresAt: call.date(after: lifetime)) }
    }
}
