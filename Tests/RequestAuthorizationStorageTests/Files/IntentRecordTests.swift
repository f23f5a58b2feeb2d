// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorizationStorage

@Suite struct IntentRecordTests {
    private static let intents = [
        Data("intent1\n".utf8), Data(repeating: 0, count: 100), Data(repeating: 0xFF, count: 2032),
    ]

    @Test func `a record is read as it was written, and all have one size`() {
        #expect(IntentRecord.decode(IntentRecord.none) == nil)
        for intent in Self.intents {
            let record = IntentRecord.encode(intent)
            #expect(record.count == IntentRecord.size)
            #expect(IntentRecord.decode(record) == intent)
        }
    }

    /// Sectors are written in any order, and each completely or not at all; here a sector has one or eight bytes.
    @Test func `a record that was written in part is the old one, the new one, or unreadable`() {
        var random = SystemRandomNumberGenerator()
        let records = [IntentRecord.none] + Self.intents.map { IntentRecord.encode($0) }
        for old in records {
            for new in records {
                let allowed = [IntentRecord.decode(old), IntentRecord.decode(new), Data()]
                for cut in Array(0...64) + Array(stride(from: 64, through: IntentRecord.size, by: 64)) {
                    let torn = new.prefix(cut) + old.suffix(IntentRecord.size - cut)
                    #expect(allowed.contains(IntentRecord.decode(Data(torn))))
                }
                for sector in [8, 64, 512] {
                    var mixed = old
                    for start in stride(from: 0, to: IntentRecord.size, by: sector) where Bool.random(using: &random) {
                        mixed.replaceSubrange(start..<start + sector, with: new[start..<start + sector])
                    }
                    #expect(allowed.contains(IntentRecord.decode(mixed)))
                }
            }
        }
    }

    @Test func `a flipped bit is detected`() {
        let record = IntentRecord.encode(Data("an intent".utf8))
        for index in 0..<16 + 9 {
            var damaged = record
            damaged[index] ^= 4
            #expect(IntentRecord.decode(damaged) == Data())
        }
    }

    @Test func `a file that is too short or too long is unreadable`() {
        #expect(IntentRecord.decode(Data()) == nil)
        #expect(IntentRecord.decode(IntentRecord.encode(Data("x".utf8)).dropLast()) == Data())
        #expect(IntentRecord.decode(IntentRecord.encode(Data("x".utf8)) + [0]) == Data())
    }

    /// The check value of CRC-32/ISO-HDLC.
    @Test func `the checksum is CRC-32`() { #expect(IntentRecord.checksum(Data("123456789".utf8)) == 0xCBF4_3926) }
}
