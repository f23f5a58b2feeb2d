// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token store that several processes or hosts use at a time, so that they refresh a rotating token once.
///
/// A refresh then is: lock, read again, adopt what a sibling left; else leave an *intent*, refresh, save, clear the intent,
/// unlock. Whoever loads a token with an open intent refreshes at once: the answer was lost, and the server's grace period is
/// running.
public protocol SharedTokenStore<Token>: TokenStore {
    /// Takes exclusive access, waiting for a sibling that has it.
    ///
    /// - Parameter limit: how long to wait.
    /// - Returns: the access; it ends with ``TokenStoreLock/unlock()`` or with the process.
    /// - Throws: any error if it was not to be had; nobody refreshes without it.
    func lock(within limit: Duration) async throws -> TokenStoreLock

    /// Reads what is kept together with the intent that a refresh left: a refresh needs both.
    ///
    /// - Throws: as ``TokenStore/load()``, also if the intent cannot be read now.
    func loadWithIntent() async throws -> TokenWithIntent<Token>

    /// Saves if what is kept still meets a condition, in one step.
    ///
    /// - Parameters:
    ///   - stored: what to keep.
    ///   - condition: what must stand there.
    ///   - intent: the one that is over once this is durable. Remove it then, unless another stands there by now or nothing was
    ///     saved. A process that dies in between leaves it, which does no harm: it names a token that has been replaced.
    /// - Throws: any error if it was not saved, or if the intent could not be removed. The provider saves it again.
    func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition, ending intent: RefreshIntent?
    ) async throws -> TokenSaveResult<Token>

    /// Leaves an intent, durably, or removes it with `nil`. Only who has exclusive access does that.
    func setIntent(_ intent: RefreshIntent?) async throws
}

extension SharedTokenStore {
    /// Saves, and leaves the intent as it is; see ``save(_:replacing:ending:)``.
    public func save(
        _ stored: StoredToken<Token>, replacing condition: TokenSaveCondition
    ) async throws -> TokenSaveResult<Token> {
        try await save(stored, replacing: condition, ending: nil)
    }

    /// The intent that a refresh left, if it is still open; see ``loadWithIntent()``.
    public func openIntent() async throws -> RefreshIntent? { try await loadWithIntent().intent }
}

/// What a shared store keeps, read at once.
public struct TokenWithIntent<Token: AuthorizationToken>: Sendable {
    /// The token, or the fact that somebody signed out; `nil` if nothing is kept.
    public let stored: StoredToken<Token>?
    /// Why nothing is kept, if nothing is.
    public let absence: TokenAbsence
    /// The intent that a refresh left, if it is still open.
    public let intent: RefreshIntent?

    public init(_ stored: StoredToken<Token>?, absence: TokenAbsence = .gone, intent: RefreshIntent?) {
        self.stored = stored
        self.absence = absence
        self.intent = intent
    }
}

/// Why a store keeps nothing.
public enum TokenAbsence: Hashable, Sendable {
    /// Somebody removed it, or nothing was ever saved. It ends the session of a provider that read or saved that session there.
    case gone
    /// It was damaged, and was set aside. A provider that holds the token saves it anew with its next refresh.
    case setAside
    /// The place itself is missing or new: a folder that was removed, a table that was dropped. A provider that holds the token
    /// saves it anew with its next refresh.
    case placeMissing
}

/// What must stand in a shared store for a save to happen.
public enum TokenSaveCondition: Hashable, Sendable {
    /// Anything or nothing: for a sign-in.
    case anything
    /// Nothing, for whatever reason: for the first token of a session for which no person signed in.
    case nothing
    /// A token of this session, of whatever generation. What is damaged or whose place is missing is replaced too; what is gone
    /// is not, for somebody has ended the session.
    case session(UUID)
    /// A token of this session and of a lower generation; else as ``session(_:)``.
    case older(session: UUID, generation: Int)

    /// Whether the condition holds for what a store keeps.
    ///
    /// - Parameters:
    ///   - stored: what is kept; `nil` for nothing.
    ///   - absence: why nothing is kept, if nothing is.
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
}

/// What became of a conditional save.
public enum TokenSaveResult<Token: AuthorizationToken>: Sendable {
    /// It is kept, durably.
    case saved
    /// The condition was not met, and nothing was changed: this is what stands there instead.
    case refused(StoredToken<Token>?)
}

extension TokenSaveResult: Equatable where Token: Equatable {}

/// A refresh that has begun and, as long as this is kept, has not ended.
public struct RefreshIntent: Hashable, Sendable, Codable {
    /// The session of the token that is being spent.
    public let session: UUID
    /// The generation of the token that is being spent.
    public let generation: Int
    /// When the refresh began.
    public let beganAt: Date

    public init(session: UUID, generation: Int, beganAt: Date) {
        self.session = session
        self.generation = generation
        self.beganAt = beganAt
    }
}
