// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A token with its properties, read once before the lock was taken: no getter of a user's type runs under the lock.
///
/// One reference serves the state, the warm path and every waiter: it is the contents of the credential that requests
/// get, and its receipt. `@unchecked Sendable` is safe: all properties are constants of `Sendable` types, and so is the
/// one that ``TypedToken`` adds, the only subclass.
class HeldToken: CredentialContents, @unchecked Sendable {
    /// Leads to the provider; `nil` in tests of the state.
    let link: TokenKeeperLink?
    /// Makes the proof for each request, if the token is bound to a key.
    let proof: (any RequestProof)?
    /// Whether there is a ``proof``. Asking that for it would copy it.
    let needsProof: Bool
    let version: TokenVersion
    let obtainedAt: Date
    let expiresAt: Date
    /// When a refresh ahead of expiry is due.
    let refreshAt: Date
    let signInNeededBefore: Date?
    /// Why the token must not be sent; `nil` if it may. A token that must not be sent can still be refreshed.
    let problem: String?

    fileprivate init(
        reading token: some AuthorizationToken, proof: Result<(any RequestProof)?, any Error>, version: TokenVersion,
        obtainedAt: Date, policy: RefreshPolicy, random: Double, link: TokenKeeperLink?
    ) {
        (self.version, self.obtainedAt, self.link) = (version, obtainedAt, link)
        let header = token.authorizationHeaderValue
        self.proof = try? proof.get()
        needsProof = self.proof != nil
        expiresAt = token.expiresAt
        signInNeededBefore = token.signInNeededBefore
        do {
            _ = try proof.get()
            try HeaderFieldValue.check(header)
            problem = nil
        } catch let error as NotAuthorized {
            problem = error.detail ?? error.description
        } catch {
            problem = "the proof of its key cannot be made (\(type(of: error)))"
        }
        let lifetime = max(0, expiresAt.timeIntervalSince(obtainedAt))
        let leeway = min(policy.leeway.maximum.seconds, lifetime * policy.leeway.fraction)
        refreshAt = expiresAt.addingTimeInterval(-leeway * (1 - policy.jitter * random))
        // Checked above: a token with a problem is not sent.
        super.init(CredentialField(unchecked: "Authorization", header), isForOneRequest: false, receipt: nil)
    }

    override var receipt: (any CredentialReceipt)? { self }

    /// The value of the `Authorization` field.
    var header: String { value }

    var fault: NotAuthorized? { problem.map { NotAuthorized(.malformedCredential, detail: $0) } }

    func isExpired(at date: Date) -> Bool { expiresAt <= date }

    /// Whether a 401 now counts towards ``RefreshPolicy/storm``. A token without a lifetime is always young.
    func isYoung(at date: Date, policy: RefreshPolicy.Storm) -> Bool {
        let lifetime = expiresAt.timeIntervalSince(obtainedAt)
        return lifetime <= 0 || date.timeIntervalSince(obtainedAt) <= lifetime * policy.youth
    }
}

/// A ``HeldToken`` with the token itself.
final class TypedToken<Token: AuthorizationToken>: HeldToken, @unchecked Sendable {
    let token: Token

    /// - Parameter proof: makes the proofs of requests, or the error why there are none.
    init(
        _ token: Token, proof: Result<(any RequestProof)?, any Error> = .success(nil), version: TokenVersion,
        obtainedAt: Date, policy: RefreshPolicy, random: Double, link: TokenKeeperLink? = nil
    ) {
        self.token = token
        super.init(
            reading: token, proof: proof, version: version, obtainedAt: obtainedAt, policy: policy, random: random,
            link: link)
    }
}

extension HeldToken: Hashable {
    static func == (left: HeldToken, right: HeldToken) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A ``StoredToken`` without the type of the token.
struct StoredItem: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case token(HeldToken)
        case signedOut
        /// The session goes on in another store.
        case moved(to: String)
    }

    let content: Content
    let version: TokenVersion
    let obtainedAt: Date
    /// An earlier version of this library set the token aside after refusals. It is refreshed, not sent.
    var wasSetAside = false

    var token: HeldToken? { if case .token(let held) = content { held } else { nil } }

    /// Why the session is over in this store, if it holds no token.
    var ending: NotAuthorized {
        guard case .moved(let place) = content else { return NotAuthorized(.signedOut) }
        return NotAuthorized(.signedOut, detail: "the session was moved to \(place): make the provider with that store")
    }
}
