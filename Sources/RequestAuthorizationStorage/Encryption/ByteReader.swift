// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// Reads fields from bytes that anybody may have written: it believes no length before it has compared it.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// How many bytes were not read yet.
    var count: Int { rest.count }

    func starts(with bytes: [UInt8]) -> Bool { rest.starts(with: bytes) }

    mutating func bytes(_ count: Int) throws(EnvelopeProblem) -> [UInt8] {
        guard count <= rest.count else { throw .truncated }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    /// A field: its length in 4 bytes, the first the most significant, then its bytes.
    mutating func field(_ allowed: ClosedRange<Int>) throws(EnvelopeProblem) -> [UInt8] {
        let length = try bytes(4).reduce(0) { $0 << 8 | Int($1) }
        guard allowed.contains(length) else { throw .malformed }
        return try bytes(length)
    }

    /// A field that holds one number of that type.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(EnvelopeProblem) -> Number {
        let size = Number.bitWidth / 8
        return try field(size...size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

extension [UInt8] {
    /// Writes what ``ByteReader/field(_:)`` reads.
    mutating func append(field: [UInt8]) {
        append(contentsOf: UInt32(field.count).bigEndianBytes)
        append(contentsOf: field)
    }
}

extension FixedWidthInteger {
    /// The first is the most significant.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
#endif
