// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// Why an envelope cannot be opened, or a token not be sealed.
package enum EnvelopeProblem: Error, Hashable {
    case notAnEnvelope
    case notSealed
    case truncated
    case malformed
    case tooLarge
    case changed
    case otherFormat(String)
    case rounds(Int)
    case otherToken
    case otherClient
    case otherAccount
    case unknownKey(String)
    case wrongKey(String)
    case noKey(String)
    case keyID
    case tooLargeToSeal
}

extension EnvelopeProblem {
    /// What may be done about the item that has the problem.
    package enum Place: Hashable, Sendable {
        /// Nobody will ever open it: whoever finds it sets it aside.
        case setAside
        /// Somebody else may: it is set aside only to make room for a new sign-in.
        case makesRoom
        /// It may be what the user is looking for: it stays where it is, whoever wants to save.
        case stays
    }

    package var place: Place {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: .setAside
        case .otherFormat, .rounds, .otherToken: .makesRoom
        case .notSealed, .otherClient, .otherAccount, .unknownKey, .wrongKey, .noKey, .keyID, .tooLargeToSeal: .stays
        }
    }

    var kind: TokenStoreError.Kind {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: .corrupt
        case .notSealed, .otherFormat, .rounds, .otherToken, .otherClient, .otherAccount: .unreadable
        case .unknownKey, .wrongKey, .noKey: .wrongKey
        case .keyID, .tooLargeToSeal: .unsuitable
        }
    }

    /// What happened.
    var summary: String {
        switch self {
        case .notAnEnvelope: "what is kept is not an encrypted token"
        case .notSealed: "what is kept is not encrypted"
        case .truncated: "the end of the encrypted token is missing"
        case .malformed: "the encrypted token is damaged"
        case .tooLarge: "the encrypted token is larger than \(Envelope.limit) bytes"
        case .changed: "the encrypted token was changed after it was sealed"
        case .otherFormat(let what): "the encrypted token is of a later version (\(what))"
        case .rounds(let rounds):
            "the key of the encrypted token would need \(rounds) rounds; from \(PBKDF2.rounds.lowerBound) to "
                + "\(PBKDF2.rounds.upperBound) are allowed"
        case .otherToken: "the encrypted token is of another type or of a later version"
        case .otherClient: "the encrypted token belongs to another client"
        case .otherAccount: "the encrypted token belongs to another account"
        case .unknownKey(let id): "the token was encrypted with the key '\(id)', which this store was not given"
        case .wrongKey(let id): "the token was encrypted with another key or password than the one given as '\(id)'"
        case .noKey(let id): "the token was encrypted with the key '\(id)', which is not where it is kept"
        case .keyID: "the id of a key has 1 to 64 bytes"
        case .tooLargeToSeal: "the token, or its client or account, is too large to be encrypted"
        }
    }

    /// What to do.
    var remedy: String {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: "sign in again"
        case .otherFormat, .rounds, .otherToken: "update this program, or sign in again"
        case .notSealed: "move it with a migrator, or remove it with clear() and sign in again"
        case .otherClient, .otherAccount: "put it back where it belongs, or remove it with clear() and sign in again"
        case .unknownKey, .wrongKey, .noKey:
            "give the right key (an old one among the oldKeys), or remove the token with clear() and sign in again"
        case .keyID: "choose another"
        case .tooLargeToSeal: "keep less in it"
        }
    }

    /// - Parameter fate: what was done with the item that has the problem.
    package func error(_ fate: String? = nil) -> TokenStoreError {
        TokenStoreError(kind, [summary, fate, remedy].compactMap(\.self).joined(separator: "; "))
    }
}
#endif
