// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A token store around another that fails and stalls when a test says so, and records what it was asked.
///
///     let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
///     store.fail(next: .save, with: DiskFull())
///     let held = store.hold(next: .load)
///     …
///     await held.begins()
///     held.release()
///     store.operations                                     // [.load, .save(…), …]
///
/// Around a `SharedTokenStore` it is one too.
public final class ScriptedTokenStore<Base: TokenStore>: TokenStore {
    public typealias Token = Base.Token

    private struct State: Sendable {
        var operations: [TokenStoreOperation<Token>] = []
        var faults: [TokenStoreOperation<Token>.Kind: [Fault]] = [:]
        var lasting: [TokenStoreOperation<Token>.Kind: any Error] = [:]
    }

    private enum Fault: Sendable {
        case before(any Error)
        case after(any Error)
        case held(HeldStoreCall)
    }

    /// The store that does the work.
    public let base: Base
    private let state = Lock(State())

    /// Wraps a store.
    public init(_ base: Base) { self.base = base }

    /// What was asked of the store, in order, whatever came of it.
    public var operations: [TokenStoreOperation<Token>] { state.withLock(\.operations) }

    /// Lets the next call of a kind fail that has no other fault yet.
    ///
    /// - Parameters:
    ///   - kind: which method.
    ///   - error: what it throws.
    ///   - afterwards: whether the store does its work first, as one does whose answer gets lost.
    public func fail(next kind: TokenStoreOperation<Token>.Kind, with error: any Error, afterwards: Bool = false) {
        state.withLock { $0.faults[kind, default: []].append(afterwards ? .after(error) : .before(error)) }
    }

    /// Lets all calls of a kind fail that have no other fault; `nil` ends that.
    public func fail(all kind: TokenStoreOperation<Token>.Kind, with error: (any Error)?) {
        state.withLock { $0.lasting[kind] = error }
    }

    /// Stalls the next call of a kind that has no other fault yet, until it is released.
    public func hold(next kind: TokenStoreOperation<Token>.Kind) -> HeldStoreCall {
        let call = HeldStoreCall()
        state.withLock { $0.faults[kind, default: []].append(.held(call)) }
        return call
    }

    public func load() async throws -> StoredToken<Token>? { try await perform(.load) { try await base.load() } }
    public func save(_ stored: StoredToken<Token>) async throws {
        try await perform(.save(stored)) { try await base.save(stored) }
    }
    public func clear() async throws { try await perform(.clear) { try await base.clear() } }
    public var changes: AsyncStream<Void>? { base.changes }
    public var isSharedBetweenDevices: Bool { base.isSharedBetweenDevices }

    private func perform<Result>(
        _ operation: TokenStoreOperation<Token>, _ body: () async throws -> Result
    ) async throws -> Result {
        let fault = state.withLock { state -> Fault? in
            state.operations.append(operation)
            if state.faults[operation.kind]?.isEmpty == false { return state.faults[operation.kind]?.removeFirst() }
            return state.lasting[operation.kind].map { .before($0) }
        }
        switch fault {
        case nil: return try await body()
        case .before(let error): throw error
        case .after(let error):
            _ = try await body()
            throw error
        case .held(let call):
            try await call.wait()
            return try await body()
        }
    }
}

extension ScriptedTokenStore: SharedTokenStore where Base: SharedTokenStore {
    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        let lock = try await perform(.lock(within: limit)) { try await base.lock(within: limit) }
        return TokenStoreLock(lock) { try? await self.perform(.unlock) { await lock.unlock() } }
    }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        try await perform(.loadWithIntent) { try await base.loadWithIntent() }
    }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token> {
        try await perform(.conditionalSave(stored, condition, ending: intent)) {
            try await base.save(stored, replacing: condition, ending: intent)
        }
    }

    public func setIntent(_ intent: RefreshIntent?) async throws {
        try await perform(.setIntent(intent)) { try await base.setIntent(intent) }
    }
}

extension ScriptedTokenStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ScriptedTokenStore([redacted])" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One call of a token store that waits for the test.
public final class HeldStoreCall: Sendable {
    private let reached = OneShot<Void>()
    private let decision = OneShot<Void>()

    /// Suspends until the store has been called.
    ///
    /// It returns early only if the waiting task is cancelled.
    public func begins() async { try? await reached.value() }

    /// Lets the store do its work.
    public func release() { decision.fulfill() }

    /// Lets the call fail.
    public func fail(_ error: any Error) { decision.fulfill(with: .failure(error)) }

    /// A store that hangs does not heed cancellation.
    func wait() async throws {
        reached.fulfill()
        try await decision.valueIgnoringCancellation()
    }
}
