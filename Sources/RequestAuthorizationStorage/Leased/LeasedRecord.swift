// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The record of one item in a ``RecordDatabase``: the item, the intent of a refresh, and the lease.
///
/// Each write replaces the whole record, and is refused if anything in it has changed.
package struct LeasedRecord: Hashable, Sendable, RedactedDescription {
    /// What the record holds, for people and for the removal of ended sessions.
    package enum Status: UInt8, Sendable { case none, token, ended, setAside }

    package var item: Data?
    package var status = Status.none
    package var intent: Data?
    /// The lease under which the intent was written.
    package var intentLease: UUID?
    /// The lease; `nil` if nobody has it. A new one for each holder.
    package var holder: UUID?
    /// Rises with each lease and each renewal.
    package var beat: UInt64 = 0
    /// New in each write. A late write therefore never finds the bytes that it wants to replace once they were replaced.
    package var mark: UInt64 = 0
    /// The identity of the database in which the record was made.
    package var place: UUID?
    /// When the item was changed, by the clock of its host, in seconds since 1970.
    package var changedAt: Double = 0
    /// A damaged item, which is kept until the record is removed.
    package var aside: Data?

    package init(place: UUID?) { self.place = place }

    /// Stands for a damaged record, which is set aside.
    ///
    /// It may have been leased. So it counts as leased by a host that does not exist, with a beat made of these bytes.
    init(settingAside damaged: Data) {
        (status, aside) = (.setAside, damaged)
        (holder, beat) = (UUID(bytes: Data(count: 16)), UInt64(bitPattern: Int64(damaged.hashValue)))
    }

    /// The largest record, in bytes.
    static let limit = 65_536

    /// The record would be larger. Nothing was written.
    struct TooLarge: Error {}
}

// MARK: - The bytes

extension LeasedRecord {
    /// The first bytes of a record of any version.
    private static let magic = Array("RALR".utf8)
    private static let version: UInt8 = 1

    /// The parts that may be present, each with its bit, in their order. The fields follow the ids.
    private static var ids: [(bit: UInt8, part: WritableKeyPath<LeasedRecord, UUID?>)] {
        [(1, \.holder), (8, \.place), (32, \.intentLease)]
    }
    private static var fields: [(bit: UInt8, part: WritableKeyPath<LeasedRecord, Data?>)] {
        [(2, \.intent), (4, \.item), (16, \.aside)]
    }

    /// A header of fixed length, which SQL can read, and then the parts that are present.
    package var encoded: Data {
        var (parts, body) = (UInt8(0), Data())
        for (bit, part) in Self.ids {
            guard let id = self[keyPath: part] else { continue }
            parts |= bit
            withUnsafeBytes(of: id.uuid) { body.append(contentsOf: $0) }
        }
        for (bit, part) in Self.fields {
            guard let field = self[keyPath: part] else { continue }
            parts |= bit
            body += UInt32(field.count).bigEndianBytes
            body += field
        }
        var data = Data(Self.magic + [Self.version, status.rawValue, parts])
        data += beat.bigEndianBytes
        data += mark.bigEndianBytes
        data += changedAt.bitPattern.bigEndianBytes
        return data + body
    }

    /// - Throws: `TokenStoreError`: `corrupt` if the record is damaged; `unreadable` if it is of a later version or of
    ///   another program.
    package init(decoding data: Data) throws(TokenStoreError) {
        // One that ends within these bytes is damaged: a place without transactions may have lost the rest.
        guard data.starts(with: Self.magic.prefix(data.count)) else {
            throw TokenStoreError(
                .unreadable, "the record is of another program; nothing was changed; choose another key or table")
        }
        guard data.dropFirst(Self.magic.count).first ?? Self.version == Self.version else {
            throw TokenStoreError(
                .unreadable, "the record is of a later version; nothing was changed; update this program")
        }
        var reader = RecordReader(rest: data.dropFirst(Self.magic.count + 1))
        guard let record = try? LeasedRecord(&reader), reader.rest.isEmpty else {
            throw TokenStoreError(.corrupt, "the record is damaged; sign in again, which sets it aside")
        }
        self = record
    }

    private init(_ reader: inout RecordReader) throws(RecordReader.Malformed) {
        guard let status = Status(rawValue: try reader.number(UInt8.self)) else { throw RecordReader.Malformed() }
        self.status = status
        let parts = try reader.number(UInt8.self)
        beat = try reader.number(UInt64.self)
        mark = try reader.number(UInt64.self)
        changedAt = Double(bitPattern: try reader.number(UInt64.self))
        for (bit, part) in Self.ids where parts & bit != 0 { self[keyPath: part] = try reader.id() }
        for (bit, part) in Self.fields where parts & bit != 0 { self[keyPath: part] = try reader.field() }
    }
}

/// Reads the parts of a record. It checks every length.
struct RecordReader {
    struct Malformed: Error {}
    var rest: Data

    mutating func bytes(_ count: Int) throws(Malformed) -> Data {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Data(rest.prefix(count))
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) throws(Malformed) -> Number {
        try bytes(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func id() throws(Malformed) -> UUID { UUID(bytes: try bytes(16)) }

    mutating func field() throws(Malformed) -> Data {
        guard let count = Int(exactly: try number(UInt32.self)) else { throw Malformed() }
        return try bytes(count)
    }
}
