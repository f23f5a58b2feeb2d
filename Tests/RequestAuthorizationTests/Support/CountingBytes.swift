// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Bytes that count how often they are read.
struct CountingBytes: RandomAccessCollection {
    final class Reads { var count = 0 }

    let bytes: [UInt8]
    let reads = Reads()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }

    subscript(position: Int) -> UInt8 {
        reads.count += 1
        return bytes[position]
    }
}
