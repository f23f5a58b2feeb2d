// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// What a scripted double does in one call: answer, fail, or wait until the test decides.
///
///     ScriptedTokenService(clock: clock, .token("a", lasts: .seconds(60)), .failure(Offline()), .held)
///
/// Each double adds steps that fit it, such as `.token(_:lasts:)` and `.response(_:_:)`.
public struct ScriptStep<Input: Sendable, Output: Sendable>: Sendable {
    enum Action: Sendable {
        case run(@Sendable (ScriptedCall<Input, Output>) async throws -> Output)
        case held(ignoringCancellation: Bool)
    }

    let action: Action

    /// Answers with this.
    public static func success(_ output: Output) -> Self { run { _ in output } }

    /// Fails with this error.
    public static func failure(_ error: any Error) -> Self { run { _ in throw error } }

    /// Does what the closure says.
    ///
    /// - Parameter body: gets the call: what it was made with, when, and as the how many-th.
    public static func run(_ body: @escaping @Sendable (ScriptedCall<Input, Output>) async throws -> Output) -> Self {
        Self(action: .run(body))
    }

    /// Waits until the test decides what the call ends with, or until the caller cancels it.
    ///
    ///     let call = try await service.nextCall()
    ///     call.succeed(TestToken("b"))
    public static var held: Self { Self(action: .held(ignoringCancellation: false)) }

    /// Waits until the test decides, and does not react to cancellation: some clients are like that.
    public static var heldIgnoringCancellation: Self { Self(action: .held(ignoringCancellation: true)) }
}

/// One call of a scripted double, recorded; a held one waits here for the test's decision.
public final class ScriptedCall<Input: Sendable, Output: Sendable>: Sendable {
    /// What the call was made with.
    public let input: Input
    /// The first call of a double is number 1.
    public let number: Int
    /// The time of the double's clock when the call began.
    public let startedAt: Date

    private let decision = OneShot<Output>()
    private let cancelled = OneShot<Void>()

    init(input: Input, number: Int, startedAt: Date) {
        self.input = input
        self.number = number
        self.startedAt = startedAt
    }

    /// Ends a held call with an answer.
    ///
    /// - Returns: `false` if it has ended already, and if it is not a held one.
    @discardableResult
    public func succeed(_ output: Output) -> Bool { decision.fulfill(with: .success(output)) }

    /// Ends a held call with an error.
    ///
    /// - Returns: `false` if it has ended already, and if it is not a held one.
    @discardableResult
    public func fail(_ error: any Error) -> Bool { decision.fulfill(with: .failure(error)) }

    /// Whether the task that made the call has been cancelled while the call went on.
    public var isCancelled: Bool { cancelled.isFulfilled }

    /// Suspends until the caller cancels the call.
    ///
    /// It returns early only if the waiting task is itself cancelled.
    public func cancellation() async { try? await cancelled.value() }

    /// The time so long after the call began, for tokens; `.distantFuture` for `nil`.
    public func date(after lifetime: Duration?) -> Date {
        lifetime.map { startedAt + $0.seconds } ?? .distantFuture
    }

    func perform(_ action: ScriptStep<Input, Output>.Action) async throws -> Output {
        try await withTaskCancellationHandler {
            switch action {
            case .run(let body):
                return try await finish { try await body(self) }
            case .held(ignoringCancellation: true):
                return try await decision.valueIgnoringCancellation()
            case .held(ignoringCancellation: false):
                return try await finish { try await decision.value() }
            }
        } onCancel: {
            cancelled.fulfill()
        }
    }

    /// After the end there is nothing left to decide.
    private func finish(_ body: () async throws -> Output) async throws -> Output {
        do {
            let output = try await body()
            succeed(output)
            return output
        } catch {
            fail(error)
            throw error
        }
    }
}

extension ScriptedCall: RedactedDescription {
    public var description: String { "ScriptedCall(\(number))" }
}
