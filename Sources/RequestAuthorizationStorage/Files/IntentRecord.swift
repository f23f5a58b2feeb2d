// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The contents of an intent file. Their size is fixed, so that overwriting in place works on a full disk.
///
///     "intent1\n"  length (4 bytes)  CRC-32 of what follows (4 bytes)  the intent  zeros
///
/// A record of zeros means that there is no intent.
enum IntentRecord {
    /// In bytes.
    static let size = 2048
    static let capacity = size - headerSize
    private static let headerSize = 16
    private static let magic = Data("intent1\n".utf8)

    static let none = Data(count: size)

    /// - Parameter intent: 1 to ``capacity`` bytes.
    static func encode(_ intent: Data) -> Data {
        var record = magic
        record += UInt32(intent.count).bigEndianBytes + checksum(intent).bigEndianBytes + intent
        return record + Data(count: size - record.count)
    }

    /// - Returns: `nil` if there is no intent; empty data if the record is incomplete or damaged.
    static func decode(_ record: Data) -> Data? {
        let bytes = [UInt8](record)
        if bytes.allSatisfy({ $0 == 0 }) { return nil }
        guard bytes.count == size, bytes.starts(with: magic) else { return Data() }
        let length = Int(truncatingIfNeeded: number(bytes[8..<12]))
        guard (1...capacity).contains(length) else { return Data() }
        let intent = Data(bytes[headerSize..<headerSize + length])
        return checksum(intent) == number(bytes[12..<16]) ? intent : Data()
    }

    // MARK: -

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    /// CRC-32 of Ethernet and zlib. It is computed bit by bit, because intents are short and few.
    static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
