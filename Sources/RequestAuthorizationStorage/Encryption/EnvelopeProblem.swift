// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// Why an envelope cannot be opened, or a token cannot be encrypted.
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
    /// Whether a token may replace the item: no program can open it, or only another one can and the user signs in.
    func makesRoom(isSignIn: Bool) -> Bool {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: true
        case .otherFormat, .rounds, .otherToken: isSignIn
        case .notSealed, .otherClient, .otherAccount, .unknownKey, .wrongKey, .noKey, .keyID, .tooLargeToSeal: false
        }
    }

    package var kind: TokenStoreError.Kind {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: .corrupt
        case .notSealed, .otherFormat, .rounds, .otherToken, .otherClient, .otherAccount: .unreadable
        case .unknownKey, .wrongKey, .noKey: .wrongKey
        case .keyID, .tooLargeToSeal: .unsuitable
        }
    }

    /// What happened, for the error message.
    var summary: String {
        switch self {
        case .notAnEnvelope: "the stored item is not an encrypted token"
        case .notSealed: "the stored item is not encrypted"
        case .truncated: "the end of the encrypted token is missing"
        case .malformed: "the encrypted token is damaged"
        case .tooLarge: "the encrypted token is larger than \(Envelope.limit) bytes"
        case .changed: "the encrypted token was changed after it was stored"
        case .otherFormat(let what): "the encrypted token is of a later version (\(what))"
        case .rounds(let rounds):
            "the key of the encrypted token would need \(rounds) rounds; from \(PBKDF2.rounds.lowerBound) to "
                + "\(PBKDF2.rounds.upperBound) are allowed"
        case .otherToken: "the encrypted token is of another type or of a later version"
        case .otherClient: "the encrypted token belongs to another client"
        case .otherAccount: "the encrypted token belongs to another account"
        case .unknownKey(let id): "the token was encrypted with the key '\(id)', which this store was not given"
        case .wrongKey(let id): "the token was encrypted with another key or password than the one given as '\(id)'"
        case .noKey(let id): "the token was encrypted with the key '\(id)', which its source no longer has"
        case .keyID: "the id of the key is empty or has more than 64 bytes"
        case .tooLargeToSeal: "the token, or its client or account, is too large to be encrypted"
        }
    }

    /// What to do, for the error message.
    var remedy: String {
        switch self {
        case .notAnEnvelope, .truncated, .malformed, .tooLarge, .changed: "sign in again"
        case .otherFormat, .rounds, .otherToken: "update this program, or sign in again"
        case .notSealed: "move it with migrate(to:), or remove it with clear() and sign in again"
        case .otherClient, .otherAccount: "move it back to its own store, or remove it with clear() and sign in again"
        case .unknownKey, .wrongKey, .noKey:
            "pass the right key (an earlier one in oldKeys), or remove the token with clear() and sign in again"
        case .keyID: "choose an id of 1 to 64 bytes"
        case .tooLargeToSeal: "make the token smaller, or shorten the client or the account"
        }
    }

    func error() -> TokenStoreError { TokenStoreError(kind, "\(summary); \(remedy)") }

    /// - Parameter fate: what was done with the item, for the error message.
    func error(_ fate: String) -> TokenStoreError { TokenStoreError(kind, "\(summary); \(fate); \(remedy)") }
}
#endif
