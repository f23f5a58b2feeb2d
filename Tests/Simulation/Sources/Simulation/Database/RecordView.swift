// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials

/// Reads the item out of a record, by the documented form of records and not by the library's code.
enum RecordView {
    static func item(of record: Data) -> Data? {
        let bytes = [UInt8](record)
        // "RALR", version, status, parts, beat, mark, time of the change.
        guard bytes.count >= 31 else { return nil }
        let parts = bytes[6]
        var index = 31
        for part: UInt8 in [1, 8, 32] where parts & part != 0 { index += 16 }
        if parts & 2 != 0 { index = skip(bytes, index) }
        guard parts & 4 != 0, index + 4 <= bytes.count else { return nil }
        let end = skip(bytes, index)
        return end <= bytes.count ? Data(bytes[index + 4..<end]) : nil
    }

    private static func skip(_ bytes: [UInt8], _ index: Int) -> Int {
        guard index + 4 <= bytes.count else { return bytes.count + 1 }
        return index + 4 + bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
