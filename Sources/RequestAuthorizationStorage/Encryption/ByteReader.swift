// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
/// Reads fields from untrusted bytes. It checks every length before it uses it.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The number of bytes that are left.
    var count: Int { rest.count }

    func starts(with bytes: [UInt8]) -> Bool { rest.starts(with: bytes) }

    mutating func bytes(_ count: Int) throws(EnvelopeProblem) -> [UInt8] {
        guard count <= rest.count else { throw .truncated }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Reads a field: its length in 4 bytes, big-endian, and then its bytes.
    mutating func field(_ allowed: ClosedRange<Int>) throws(EnvelopeProblem) -> [UInt8] {
        let length = try bytes(4).reduce(0) { $0 << 8 | Int($1) }
        guard allowed.contains(length) else { throw .malformed }
        return try bytes(length)
    }

    /// Reads a field that has one big-endian number.
    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(EnvelopeProblem) -> Number {
        let size = Number.bitWidth / 8
        return try field(size...size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}

extension [UInt8] {
    /// Appends a field in the format of ``ByteReader/field(_:)``.
    mutating func append(field: [UInt8]) {
        append(contentsOf: UInt32(field.count).bigEndianBytes)
        append(contentsOf: field)
    }
}
#endif
