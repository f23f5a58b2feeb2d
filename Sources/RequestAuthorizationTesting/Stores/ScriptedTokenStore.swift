// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Wraps a token store, records its calls, and fails or stalls when a test says so.
///
///     let store = ScriptedTokenStore(InMemoryTokenStore<TestToken>())
///     store.fail(next: .save, with: DiskFull())
///     let held = store.hold(next: .load)
///     …
///     await held.begins()
///     held.release()
///     store.operations                                     // [.load, .save(…), …]
///
/// If the wrapped store is a `SharedTokenStore` or a read-only view, so is this one.
public final class ScriptedTokenStore<Base: TokenStore>: TokenStore {
    public typealias Token = Base.Token

    private struct State: Sendable {
        var operations: [TokenStoreOperation<Token>] = []
        /// The faults of successive calls.
        var faults: [TokenStoreOperation<Token>.Kind: [Fault]] = [:]
        /// The errors of all other calls.
        var lasting: [TokenStoreOperation<Token>.Kind: any Error] = [:]
    }

    private enum Fault: Sendable {
        case before(any Error)
        case after(any Error)
        case held(HeldStoreCall)
    }

    /// The wrapped store.
    public let base: Base
    private let state = Lock(State())

    /// Wraps a store.
    public init(_ base: Base) { self.base = base }

    /// The calls of the store in order, successful or not.
    public var operations: [TokenStoreOperation<Token>] { state.withLock(\.operations) }

    /// Makes the next call of a kind fail. Several faults apply to successive calls.
    ///
    /// - Parameters:
    ///   - kind: the method.
    ///   - error: the error to throw.
    ///   - afterwards: whether the store does its work first, as if its answer were lost. Access is given back.
    public func fail(next kind: TokenStoreOperation<Token>.Kind, with error: any Error, afterwards: Bool = false) {
        state.withLock { $0.faults[kind, default: []].append(afterwards ? .after(error) : .before(error)) }
    }

    /// Makes all calls of a kind fail, except those with another fault.
    ///
    /// - Parameters:
    ///   - kind: the method.
    ///   - error: the error to throw; `nil` ends that.
    public func fail(all kind: TokenStoreOperation<Token>.Kind, with error: (any Error)?) {
        state.withLock { $0.lasting[kind] = error }
    }

    /// Stalls the next call of a kind until it is released. Several faults apply to successive calls.
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
        var granted: TokenStoreLock?
        do {
            let lock = try await perform(.lock(within: limit)) {
                let lock = try await base.lock(within: limit)
                granted = lock
                return lock
            }
            return TokenStoreLock(lock) { try? await self.perform(.unlock) { await lock.unlock() } }
        } catch {
            await granted?.unlock()  // Nobody has the access if its answer is lost.
            throw error
        }
    }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> {
        try await perform(.loadWithIntent) { try await base.loadWithIntent() }
    }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await perform(.conditionalSave(stored, condition, ending: intent)) {
            try await base.save(stored, replacing: condition, ending: intent)
        }
    }

    public func setIntent(_ intent: RefreshIntent?) async throws {
        try await perform(.setIntent(intent)) { try await base.setIntent(intent) }
    }
}

extension ScriptedTokenStore: ReadOnlyStore where Base: ReadOnlyStore {
    package func loadWithAbsence() async throws -> TokenWithIntent<Token> {
        try await perform(.load) { try await base.loadWithAbsence() }
    }
}

extension ScriptedTokenStore: RedactedDescription {}

/// A call of a token store.
public enum TokenStoreOperation<Token: AuthorizationToken>: Sendable {
    case load
    case save(StoredToken<Token>)
    case clear
    case lock(within: Duration)
    case unlock
    case loadWithIntent
    case conditionalSave(StoredToken<Token>, TokenSaveCondition, ending: RefreshIntent?)
    case setIntent(RefreshIntent?)

    /// The called method. Both ways of loading are one kind, and so are both ways of saving.
    public enum Kind: Hashable, Sendable {
        case load, save, clear, lock, unlock, setIntent
    }

    /// The called method.
    public var kind: Kind {
        switch self {
        case .load, .loadWithIntent: .load
        case .save, .conditionalSave: .save
        case .clear: .clear
        case .lock: .lock
        case .unlock: .unlock
        case .setIntent: .setIntent
        }
    }
}

extension TokenStoreOperation: Equatable where Token: Equatable {}

/// A stalled call of a token store.
public final class HeldStoreCall: Sendable {
    private let reached = OneShot<Void>()
    private let decision = OneShot<Void>()

    /// Suspends until the store has been called.
    ///
    /// Returns early only if the waiting task is cancelled.
    public func begins() async { try? await reached.value() }

    /// Lets the call proceed.
    public func release() { decision.fulfill() }

    /// Makes the call fail.
    public func fail(_ error: any Error) { decision.fulfill(with: .failure(error)) }

    /// Waits for the test and ignores cancellation, like a store that hangs.
    func wait() async throws {
        reached.fulfill()
        try await decision.valueIgnoringCancellation()
    }
}
