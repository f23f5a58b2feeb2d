// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token with its properties, read once before the lock was taken: no getter of a user's type runs under the lock.
///
/// One reference serves the state, the warm path and every waiter: it is the contents of the credential that requests
/// get, and its receipt.
///
/// `@unchecked Sendable` is safe: all are constants of `Sendable` types, and the weak reference, set once, is atomic.
class HeldToken: CredentialContents, @unchecked Sendable {
    /// Whether there is a ``proof``. Asking that for it would copy it.
    let needsProof: Bool
    /// Whether the ``proof`` ends at once when its task is cancelled.
    let isPromptProof: Bool
    /// Whether the service began the session by itself. It can begin another in the same way.
    let isFetched: Bool
    /// The provider, which keeps the token; `nil` in tests of the state.
    private(set) weak var keeper: (any TokenKeeper)?
    private let rarities: Rarities?
    let version: TokenVersion
    let obtainedAt: Date
    let expiresAt: Date
    /// When a refresh ahead of expiry is due.
    let refreshAt: Date
    /// The ``mark`` of the token whose refresh has brought it; 0 if there is none.
    private let formerMark: Int

    /// What most tokens have nothing of.
    private final class Rarities {
        let proof: (any RequestProof)?
        let signInNeededBefore, keepAliveAt, refreshNeededBefore: Date?
        let claims, problem: String?

        init(
            proof: (any RequestProof)?, signInNeededBefore: Date?, keepAliveAt: Date?, refreshNeededBefore: Date?,
            claims: String?, problem: String?
        ) {
            (self.proof, self.claims, self.problem) = (proof, claims, problem)
            self.signInNeededBefore = signInNeededBefore
            (self.keepAliveAt, self.refreshNeededBefore) = (keepAliveAt, refreshNeededBefore)
        }
    }

    /// Makes the proof for each request, if the token is bound to a key.
    var proof: (any RequestProof)? { rarities?.proof }
    var signInNeededBefore: Date? { rarities?.signInNeededBefore }
    /// When a refresh is due that keeps the session alive; `nil` if none is.
    var keepAliveAt: Date? { rarities?.keepAliveAt }
    /// The date before which that refresh is needed.
    var refreshNeededBefore: Date? { rarities?.refreshNeededBefore }
    /// The claims with which the service was asked for it.
    var claims: String? { rarities?.claims }
    /// Why the token must not be sent; `nil` if it may. A token that must not be sent can still be refreshed.
    var problem: String? { rarities?.problem }

    fileprivate init(
        reading token: some AuthorizationToken, proof: Result<(any RequestProof)?, any Error>, version: TokenVersion,
        obtainedAt: Date, isFetched: Bool, claims: String?, former: HeldToken?, policy: RefreshPolicy, random: Double,
        keeper: (any TokenKeeper)?
    ) {
        (self.version, self.obtainedAt, self.isFetched, self.keeper) = (version, obtainedAt, isFetched, keeper)
        formerMark = former?.mark ?? 0
        let header = token.authorizationHeaderValue
        expiresAt = token.expiresAt
        let problem: String?
        do {
            _ = try proof.get()
            try HeaderFieldValue.check(header)
            problem = nil
        } catch let error as NotAuthorized {
            problem = error.detail ?? error.description
        } catch {
            problem = "the proof of its key cannot be made (\(type(of: error)))"
        }
        let proof = (try? proof.get()) ?? nil
        needsProof = proof != nil
        isPromptProof = proof is any PromptProof
        let (signInEnd, refreshEnd) = (token.signInNeededBefore, token.refreshNeededBefore)
        let isUsual = proof == nil && claims == nil && problem == nil && signInEnd == nil && refreshEnd == nil
        rarities =
            isUsual
            ? nil
            : Rarities(
                proof: proof, signInNeededBefore: signInEnd,
                keepAliveAt: Self.keepAliveAt(refreshEnd, former, obtainedAt, policy, random),
                refreshNeededBefore: refreshEnd, claims: claims, problem: problem)
        let lifetime = max(0, expiresAt.timeIntervalSince(obtainedAt))
        let leeway = min(policy.leeway.maximum.seconds, lifetime * policy.leeway.fraction)
        refreshAt = expiresAt.addingTimeInterval(-leeway * (1 - policy.jitter * random))
        // Checked above: a token with a problem is not sent.
        super.init(CredentialField(unchecked: "Authorization", header), isForOneRequest: false, receipt: nil)
    }

    fileprivate init(_ former: HeldToken, numbered version: TokenVersion) {
        (self.version, keeper, rarities) = (version, former.keeper, former.rarities)
        (needsProof, isPromptProof) = (former.needsProof, former.isPromptProof)
        (obtainedAt, expiresAt, refreshAt) = (former.obtainedAt, former.expiresAt, former.refreshAt)
        (formerMark, isFetched) = (former.formerMark, former.isFetched)
        super.init(CredentialField(unchecked: former.name, former.value), isForOneRequest: false, receipt: nil)
    }

    private static func keepAliveAt(
        _ end: Date?, _ former: HeldToken?, _ obtainedAt: Date, _ policy: RefreshPolicy, _ random: Double
    ) -> Date? {
        guard policy.keepsAlive, let end, end > obtainedAt else { return nil }
        // The last refresh has won no time, so the next one would not either.
        if let before = former?.refreshNeededBefore, end <= before { return nil }
        let time = end.timeIntervalSince(obtainedAt)
        return obtainedAt.addingTimeInterval(time * (0.8 - 0.1 * policy.jitter * random))
    }

    override var receipt: (any CredentialReceipt)? { self }

    /// The value of the `Authorization` field.
    var header: String { value }

    var fault: NotAuthorized? { problem.map { NotAuthorized(.malformedCredential, detail: $0) } }

    /// This token under the number of a stored one, if that is the same token with a later number; else `nil`.
    ///
    /// Not the stored one: the store does not know with which claims it was fetched, for instance.
    func renumbered(as stored: HeldToken) -> HeldToken? {
        guard version.session == stored.version.session, version.generation < stored.version.generation,
            obtainedAt == stored.obtainedAt, header == stored.header
        else { return nil }
        return numbered(stored.version)
    }

    /// This token under the next number, if it replaces a token to which a store has given its own; else `nil`.
    func renumbered(after former: HeldToken) -> HeldToken? {
        guard version.session == former.version.session, version.generation < former.version.next.generation,
            formerMark == former.mark
        else { return nil }
        return numbered(former.version.next)
    }

    /// Tells the tokens of a session apart, whatever their numbers are.
    private var mark: Int {
        var hasher = Hasher()
        hasher.combine(header)
        hasher.combine(obtainedAt)
        return hasher.finalize()
    }

    /// The same token, with all that is known of it, under another number.
    func numbered(_ version: TokenVersion) -> HeldToken { preconditionFailure("only a token with its type is held") }

    func isExpired(at date: Date) -> Bool { expiresAt <= date }

    /// Whether a resource demands the claims that the token was fetched with, so that another refresh is pointless.
    func lacks(_ challenge: AuthenticationChallenge?) -> Bool {
        if let claims { claims == challenge?.claims } else { false }
    }

    /// Whether a 401 now counts towards ``RefreshPolicy/storm``. A token without a lifetime is always young.
    func isYoung(at date: Date, policy: RefreshPolicy.Storm) -> Bool {
        let lifetime = expiresAt.timeIntervalSince(obtainedAt)
        return lifetime <= 0 || date.timeIntervalSince(obtainedAt) <= lifetime * policy.youth
    }
}

/// A ``HeldToken`` with the token itself.
///
/// `@unchecked Sendable` is safe: it adds one constant of a `Sendable` type.
final class TypedToken<Token: AuthorizationToken>: HeldToken, @unchecked Sendable {
    let token: Token

    /// - Parameter proof: makes the proofs of requests, or the error why there are none.
    init(
        _ token: Token, proof: Result<(any RequestProof)?, any Error> = .success(nil), version: TokenVersion,
        obtainedAt: Date, isFetched: Bool = false, claims: String? = nil, replacing former: HeldToken? = nil,
        policy: RefreshPolicy, random: Double, keeper: (any TokenKeeper)? = nil
    ) {
        self.token = token
        super.init(
            reading: token, proof: proof, version: version, obtainedAt: obtainedAt, isFetched: isFetched,
            claims: claims, former: former, policy: policy, random: random, keeper: keeper)
    }

    private init(_ former: TypedToken, numbered version: TokenVersion) {
        token = former.token
        super.init(former, numbered: version)
    }

    override func numbered(_ version: TokenVersion) -> HeldToken { TypedToken(self, numbered: version) }
}

extension HeldToken: Hashable {
    static func == (left: HeldToken, right: HeldToken) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension TypedToken {
    /// Returns the proof for requests with a token, or the error why the token must not be used.
    static func proof(
        for token: Token, by service: any RefreshableTokenService<Token>, keptIn store: (any TokenStore<Token>)?
    ) -> Result<(any RequestProof)?, any Error> {
        Result {
            if token.isBoundToDevice, store?.isSharedBetweenDevices == true {
                throw NotAuthorized(
                    .malformedCredential,
                    detail:
                        "its key cannot leave this device, and the store is shared with others: choose another key or store"
                )
            }
            return try service.proof(for: token)
        }
    }
}

/// The provider of a token, as the token's receipt sees it.
protocol TokenKeeper: AnyObject, RefusalListener, Sendable {
    /// Whether requests get this token now.
    func isCurrent(_ held: HeldToken) -> Bool

    func judge(_ refusal: UnauthorizedResponse, of held: HeldToken, afterRefresh: Bool) throws(NotAuthorized) -> Verdict

    func tell(_ event: AuthorizationEvent)
}
