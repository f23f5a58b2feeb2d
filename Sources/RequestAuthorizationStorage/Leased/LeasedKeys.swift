// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The keys that encrypt the tokens of a fleet and its row key.
struct LeasedKeys: Sendable, RedactedDescription {
    let key: TokenKey
    let oldKeys: [TokenKey]

    /// - Parameter row: the key of the record. The envelope includes it, so that it cannot be moved to another record.
    func sealer<Token>(key row: String) -> StoredTokenSealer<Token> {
        StoredTokenSealer(key: key, oldKeys: oldKeys, client: "row", account: row)
    }

    /// Encrypts the row key for a place.
    private func rowKeySealer(place: UUID) -> StoredTokenSealer<RowKey> {
        StoredTokenSealer(key: key, oldKeys: oldKeys, client: "row key", account: place.uuidString)
    }

    private func seal(
        _ key: RowKey, place: UUID, after kept: StoredTokenSealer<RowKey>.Opened? = nil
    ) async throws -> Data {
        let version = TokenVersion(session: place, generation: 0)
        let stored = StoredToken<RowKey>(.token(key), version: version, obtainedAt: Date(timeIntervalSince1970: 0))
        return try await rowKeySealer(place: place).seal(stored, after: kept)
    }
}

extension LeasedKeys: RecordNamings {
    func make() async throws -> LeasedPlace {
        let id = UUID()
        return LeasedPlace(id: id, sealedRowKey: try await seal(RowKey(), place: id))
    }

    func open(_ place: LeasedPlace) async throws -> (RecordNaming, renewed: LeasedPlace?) {
        guard let sealed = place.sealedRowKey else {
            throw TokenStoreError(
                .unsuitable, "the records were made without encryption; choose another database or table")
        }
        do {
            let opened = try await rowKeySealer(place: place.id).openEnvelope(sealed)
            guard let key = opened.stored.token else { throw EnvelopeProblem.otherToken }
            if opened.isCurrent { return (key.key(client:account:), nil) }
            let renewed = try await seal(key, place: place.id, after: opened)
            return (key.key(client:account:), LeasedPlace(id: place.id, sealedRowKey: renewed))
        } catch let problem as EnvelopeProblem {
            throw TokenStoreError(problem.kind, Self.advice(for: problem))
        }
    }

    /// A sign-in cannot help here, as it does for a token.
    private static func advice(for problem: EnvelopeProblem) -> String {
        let remedy = "put this record back from a backup, or empty the database: hosts then save the tokens they hold"
        return switch problem {
        case .unknownKey, .wrongKey, .noKey: problem.error("nothing was changed").detail
        case .otherClient, .otherAccount:
            "the record that identifies the database has the key of another place, for instance of a copy; \(remedy)"
        case .otherFormat, .rounds, .otherToken:
            "the record that identifies the database is of a later version; update this program"
        default: "the record that identifies the database is damaged, so no token can be found; \(remedy)"
        }
    }
}

/// The secret that hides client and account from the database: it turns them into the key of a record.
///
/// It is made with the place and stored there encrypted, so that it outlives the keys that encrypt tokens.
struct RowKey: AuthorizationToken, Codable {
    private let key: Data

    /// Creates a random key of 32 bytes.
    init() { key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    var authorizationHeaderValue: String { "" }

    /// Returns HMAC-SHA256 (RFC 2104) of client and account, each after its length in 8 bytes, in hexadecimal digits.
    func key(client: String, account: String) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        for name in [client, account] { code.update(data: UInt64(name.utf8.count).bigEndianBytes + Array(name.utf8)) }
        let digits = Array("0123456789abcdef".utf8)
        let text = code.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
