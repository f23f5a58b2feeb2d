// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token store that several processes or hosts share, so that they refresh a rotating token only once.
///
/// A refresh locks the store, reads it again, and adopts a newer token of a *sibling*: another process or host with the
/// same store. Otherwise it writes an *intent*, refreshes, saves, removes the intent and unlocks. A provider that loads
/// a token with an open intent refreshes at once: the answer was lost, and the server's grace period is running.
///
/// Test a conformance with `SharedTokenStoreChecks` of `RequestAuthorizationTesting`.
public protocol SharedTokenStore<Token>: TokenStore {
    /// Acquires exclusive access for a whole refresh, and waits while a sibling holds it.
    ///
    /// - Parameter limit: how long to wait.
    /// - Returns: the lock. It is released by ``TokenStoreLock/unlock()`` or when the process ends. Its `remaining` may
    ///   be zero if a sibling has just saved a newer token: the caller reads that one, and sends nothing.
    /// - Throws: any error if access was not granted. The provider does not refresh without it.
    func lock(within limit: Duration) async throws -> TokenStoreLock

    /// Reads the content together with the intent of an unfinished refresh: a refresh needs both.
    ///
    /// - Throws: like ``TokenStore/load()``, also if the intent cannot be read now.
    func loadWithIntent() async throws -> TokenWithIntent<Token>

    /// Saves a token if the content meets a condition, in one atomic step.
    ///
    /// - Parameters:
    ///   - stored: the new content.
    ///   - condition: what the store must hold.
    ///   - intent: the intent to remove once the new content is durable. Keep another intent, and remove none if
    ///     nothing was saved. If the process dies in between, the intent stays. That does no harm: it names a token
    ///     that has been replaced.
    /// - Returns: whether the content was saved, or the present content.
    /// - Throws: any error if the save failed, or the intent could not be removed. The provider saves it again.
    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> SaveResult<StoredToken<Token>>

    /// Writes an intent durably in place of an earlier one, or removes it with `nil`. Only the holder of exclusive
    /// access calls this, after it has read the token.
    ///
    /// - Throws: any error if the intent was not written. A refresh goes on without it as long as the lock's `remaining`
    ///   allows it. Make that zero if the access is lost, or the token is another one.
    func setIntent(_ intent: RefreshIntent?) async throws
}

extension SharedTokenStore {
    /// Saves without removing an intent; see ``save(_:replacing:ending:)``.
    package func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition
    ) async throws -> SaveResult<StoredToken<Token>> {
        try await save(stored, replacing: condition, ending: nil)
    }

    /// Returns the intent of an unfinished refresh, if there is one; see ``loadWithIntent()``.
    package func openIntent() async throws -> RefreshIntent? { try await loadWithIntent().intent }
}

/// The content of a shared store and its intent, read together.
public struct TokenWithIntent<Token: AuthorizationToken>: Sendable {
    /// The token or a tombstone; `nil` if the store is empty.
    public let stored: StoredToken<Token>?
    /// Why the store is empty, if it is.
    public let absence: TokenAbsence
    /// The intent of an unfinished refresh, if there is one.
    public let intent: RefreshIntent?

    public init(_ stored: StoredToken<Token>?, absence: TokenAbsence = .gone, intent: RefreshIntent?) {
        (self.stored, self.absence, self.intent) = (stored, absence, intent)
    }
}

/// Why a store is empty.
public enum TokenAbsence: Hashable, Sendable {
    /// The item was removed, or never saved. This ends the session of a provider that read or saved that session there.
    case gone
    /// The item was damaged and set aside. A provider that holds the token saves it again as soon as it notices.
    case setAside
    /// The place itself is missing or new: a removed folder, a dropped table. A provider that holds the token saves it
    /// anew with its next refresh.
    case placeMissing
}

/// What a shared store must hold for a save to happen.
public enum TokenSaveCondition: Hashable, Sendable {
    /// Any content, or none: for a sign-in.
    case anything
    /// No content, for whatever reason: for the first token of a session without a user's sign-in.
    case nothing
    /// A token of this session, of any generation. A damaged item or a missing place is replaced too. A removed item is
    /// not: its session has been ended elsewhere.
    case session(UUID)
    /// A token of this session with a lower generation; else like ``session(_:)``.
    case older(session: UUID, generation: Int)

    /// Whether the content of a store meets the condition.
    ///
    /// - Parameters:
    ///   - stored: the content; `nil` if the store is empty.
    ///   - absence: why the store is empty, if it is.
    public func allows<Token>(_ stored: StoredToken<Token>?, absence: TokenAbsence = .gone) -> Bool {
        guard let stored else { return self == .anything || self == .nothing || absence != .gone }
        guard stored.token != nil else { return self == .anything }
        switch self {
        case .anything: return true
        case .nothing: return false
        case .session(let session): return stored.version.session == session
        case .older(let session, let generation):
            return stored.version.session == session && stored.version.generation < generation
        }
    }

    /// Whether a content may replace what is stored.
    ///
    /// A sign-in replaces anything but a later content of its own session. An earlier try to save it was made then, its
    /// answer was lost, and others have gone on from there.
    package func allows<Token>(
        _ new: StoredToken<Token>, over stored: StoredToken<Token>?, absence: TokenAbsence = .gone
    ) -> Bool {
        if self == .anything, new.token != nil, let stored, stored.version.session == new.version.session {
            let isLater = stored.version.generation > new.version.generation
            if isLater || stored.token == nil && stored.version.generation == new.version.generation { return false }
        }
        return allows(stored, absence: absence)
    }
}

/// The result of a conditional save of a ``SharedTokenStore``, or of the item of a ``SharedByteStore``.
public enum SaveResult<Content: Sendable>: Sendable, RedactedDescription {
    /// The content was saved durably.
    case saved
    /// The condition was not met, and nothing was changed. The associated value is the present content.
    case refused(Content?)
}

extension SaveResult: Equatable where Content: Equatable {}

/// A note in a shared store that a refresh has begun and not ended.
public struct RefreshIntent: Hashable, Sendable, Codable {
    /// The session of the token that is being spent.
    public let session: UUID
    /// The generation of the token that is being spent.
    public let generation: Int
    /// When the refresh began.
    public let beganAt: Date

    public init(session: UUID, generation: Int, beganAt: Date) {
        (self.session, self.generation, self.beganAt) = (session, generation, beganAt)
    }
}
