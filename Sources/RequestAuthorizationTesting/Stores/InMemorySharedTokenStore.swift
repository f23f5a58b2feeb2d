// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token store that simulates several processes in one.
///
///     let phone = InMemorySharedTokenStore<TestToken>(clock: clock)
///     let widget = phone.sibling()
///
/// Each handle represents a process. It receives the ``changes`` of the others, and ``crash()`` ends its process.
public final class InMemorySharedTokenStore<Token: AuthorizationToken>: SharedTokenStore {
    private let place: SharedPlace<Token>
    private let id = UUID()

    /// Creates a store with one handle.
    ///
    /// - Parameters:
    ///   - stored: the first content; nothing by default.
    ///   - clock: the clock for the limits of ``lock(within:)``.
    public convenience init(_ stored: StoredToken<Token>? = nil, clock: any AuthorizationClock = .system) {
        self.init(place: SharedPlace(stored, clock: clock))
    }

    private init(place: SharedPlace<Token>) { self.place = place }

    deinit { place.forget(id) }

    /// Returns the handle of another process on the same store.
    public func sibling() -> InMemorySharedTokenStore { InMemorySharedTokenStore(place: place) }

    /// Ends the process of this handle. Its exclusive access is released; what it saved, and its intent, stay.
    ///
    /// Calls that wait for access end with a `CancellationError`. All later calls of the handle throw a
    /// `TokenStoreError` and change nothing; its ``changes`` end. A new ``sibling()`` is the next process.
    public func crash() { place.crash(id) }

    /// Loses the content, like a store with a damaged item or a removed folder.
    ///
    /// - Parameter absence: what the store reports until the next save. With the place its intent is lost, too.
    package func lose(_ absence: TokenAbsence) { place.lose(absence, by: id) }

    /// The present content.
    public var stored: StoredToken<Token>? { place.kept.stored }

    /// The present intent.
    package var intent: RefreshIntent? { place.kept.intent }

    public func load() async throws -> StoredToken<Token>? { try place.access(by: id) { $0.stored } }
    public func save(_ stored: StoredToken<Token>) async throws { try place.put(stored, by: id) }
    public func clear() async throws { try place.put(nil, by: id) }
    public var changes: AsyncStream<Void>? { place.changes(for: id) }

    public func lock(within limit: Duration) async throws -> TokenStoreLock {
        let lock = try await place.lock(within: limit, for: id)
        // The process of this handle goes on while it has access.
        return TokenStoreLock(lock) {
            await lock.unlock()
            withExtendedLifetime(self) {}
        }
    }

    public func loadWithIntent() async throws -> TokenWithIntent<Token> { try place.access(by: id) { $0.contents } }

    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>> {
        try place.save(stored, by: id, replacing: condition, ending: intent)
    }

    public func setIntent(_ intent: RefreshIntent?) async throws { try place.access(by: id) { $0.intent = intent } }
}

extension InMemorySharedTokenStore: RedactedDescription {}
