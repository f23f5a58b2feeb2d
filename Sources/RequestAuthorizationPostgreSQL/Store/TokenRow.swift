// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto

/// The columns of a row.
struct TokenRow: Sendable, RedactedDescription {
    /// The tables of the row.
    let place: UUID
    /// The envelope, or `nil` if the row has none.
    let sealed: Data?
    /// Whether the last envelope could not be opened and was set aside.
    let wasSetAside: Bool
    let intent: String?

    /// - Throws: `TokenStoreError` if the columns have other types or another number.
    init(_ rows: [[String?]]) throws {
        guard let row = rows.first, row.count == 4, let place = row[0].flatMap({ UUID(uuidString: $0) }) else {
            throw TokenStoreError(
                .unsuitable, "the tables are not those of this package; choose another schema with search_path")
        }
        self.place = place
        wasSetAside = row[1] == "set aside"
        intent = row[3]
        sealed = try row[2].map { hex in
            if let data = SQLText.data(hex: hex) { return data }
            throw TokenStoreError(.failed, "a column of bytes is not hexadecimal; check the driver")
        }
    }
}
#endif
