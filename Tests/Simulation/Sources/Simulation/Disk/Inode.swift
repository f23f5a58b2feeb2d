// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials

/// A file: its contents in the page cache and on the disk.
final class Inode {
    let number: UInt64
    var contents = Data()
    /// What a power failure leaves at least; `nil` if nothing of the file is on the disk.
    var durable: Data?
    var links: UInt64 = 1
    var modifiedAt: SimulatedTime
    var changedAt: SimulatedTime
    /// The open file that has the lock.
    var lockHolder: CInt?

    init(number: UInt64, at now: SimulatedTime) { (self.number, modifiedAt, changedAt) = (number, now, now) }

    /// The contents after a power failure: old, new, or some of each.
    ///
    /// - Parameter part: the percentage of the new contents that was written.
    func survivor(part: Int) -> Data {
        let old = durable ?? Data()
        guard old != contents else { return contents }
        let count = contents.count * part / 100
        return contents.prefix(count) + old.dropFirst(count)
    }
}
