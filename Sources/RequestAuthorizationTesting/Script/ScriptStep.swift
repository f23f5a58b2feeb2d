// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a scripted double does in one call: it succeeds, fails, or waits for the test.
///
///     ScriptedTokenService(clock: clock, .token("a", lasts: .seconds(60)), .failure(Offline()), .held)
///
/// Each double has steps of its own, such as `.token(_:lasts:)` and `.response(_:_:)`.
public struct ScriptStep<Input: Sendable, Output: Sendable>: Sendable {
    enum Action: Sendable {
        case run(@Sendable (ScriptedCall<Input, Output>) async throws -> Output)
        case held(ignoringCancellation: Bool)
    }

    let action: Action

    /// Succeeds with an output.
    public static func success(_ output: Output) -> Self { run { _ in output } }

    /// Fails with an error.
    public static func failure(_ error: any Error) -> Self { run { _ in throw error } }

    /// Runs a closure.
    ///
    /// - Parameter body: receives the call, with its input, its time and its number.
    public static func run(
        _ body: nonisolated(nonsending) @escaping @Sendable (ScriptedCall<Input, Output>) async throws -> Output
    ) -> Self {
        Self(action: .run(body))
    }

    /// Waits until the test ends the call, or the caller cancels it.
    ///
    ///     let call = try await service.nextCall()
    ///     call.succeed(TestToken("b"))
    public static var held: Self { Self(action: .held(ignoringCancellation: false)) }

    /// Waits until the test ends the call, and ignores cancellation, as some clients do.
    public static var heldIgnoringCancellation: Self { Self(action: .held(ignoringCancellation: true)) }
}

/// A recorded call of a scripted double. A held call waits until the test ends it.
public final class ScriptedCall<Input: Sendable, Output: Sendable>: Sendable {
    /// The input of the call.
    public let input: Input
    /// The number of the call, from 1.
    public let number: Int
    /// The time of the double's clock when the call began.
    private let startedAt: Date

    private let decision = OneShot<Output>()
    private let cancelled = OneShot<Void>()

    init(input: Input, number: Int, startedAt: Date) {
        (self.input, self.number, self.startedAt) = (input, number, startedAt)
    }

    /// Ends a held call with an output.
    ///
    /// - Returns: `false` if the call has already ended, or is not held.
    @discardableResult
    public func succeed(_ output: Output) -> Bool { decision.fulfill(with: .success(output)) }

    /// Ends a held call with an error.
    ///
    /// - Returns: `false` if the call has already ended, or is not held.
    @discardableResult
    public func fail(_ error: any Error) -> Bool { decision.fulfill(with: .failure(error)) }

    /// Whether the caller's task was cancelled during the call.
    public var isCancelled: Bool { cancelled.isFulfilled }

    /// Suspends until the caller cancels the call.
    ///
    /// Returns early only if the waiting task is itself cancelled.
    public func cancellation() async { try? await cancelled.value() }

    /// The date at this time after the call began, for the expiry of tokens; `.distantFuture` for `nil`.
    public func date(after lifetime: Duration?) -> Date {
        lifetime.map { startedAt + $0.seconds } ?? .distantFuture
    }

    func perform(_ action: ScriptStep<Input, Output>.Action) async throws -> Output {
        try await withTaskCancellationHandler {
            switch action {
            case .run(let body):
                fail(CancellationError())  // The test cannot end this call: `succeed` and `fail` return `false`.
                return try await body(self)
            case .held: return try await decision.valueIgnoringCancellation()
            }
        } onCancel: {
            if case .held(ignoringCancellation: false) = action { fail(CancellationError()) }
            cancelled.fulfill()
        }
    }
}

extension ScriptedCall: OwnDescription {
    @usableFromInline package var ownDescription: String { "ScriptedCall(\(number))" }
}
