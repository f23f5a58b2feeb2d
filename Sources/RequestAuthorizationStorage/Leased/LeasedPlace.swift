// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The identity of a database, in a record of its own. It changes if the database is emptied.
package struct LeasedPlace: Hashable, Sendable, RedactedDescription {
    package let id: UUID
    /// The encrypted key that turns clients and accounts into keys of records; `nil` if the keys are chosen by the user.
    package let sealedRowKey: Data?

    package init(id: UUID, sealedRowKey: Data?) { (self.id, self.sealedRowKey) = (id, sealedRowKey) }

    /// The key of its record.
    package static let key = "request-authorization.place"

    private static let magic = Array("RALP".utf8)
    private static let version: UInt8 = 1

    package var encoded: Data {
        var data = Data(Self.magic + [Self.version])
        withUnsafeBytes(of: id.uuid) { data.append(contentsOf: $0) }
        return data + (sealedRowKey ?? Data())
    }

    /// - Throws: `TokenStoreError`: `unsuitable` if the record is of a later version or of another program.
    package init(decoding data: Data) throws(TokenStoreError) {
        var reader = RecordReader(rest: data)
        guard (try? reader.bytes(Self.magic.count)) == Data(Self.magic) else {
            throw TokenStoreError(
                .unsuitable, "the record '\(Self.key)' is of another program; choose another database or table")
        }
        guard (try? reader.number(UInt8.self)) == Self.version, let id = try? reader.id() else {
            throw TokenStoreError(
                .unsuitable, "the records are of a later version, and nothing was changed; update this program")
        }
        self.init(id: id, sealedRowKey: reader.rest.isEmpty ? nil : Data(reader.rest))
    }
}
