// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Comparison of secrets.
package enum ConstantTime {
    /// Whether two texts are equal, in a time that says nothing of where they differ. Their lengths are no secret.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// The same of bytes: each is looked at once, whatever was found before.
    package static func areEqual<Bytes: RandomAccessCollection<UInt8>>(_ left: Bytes, _ right: Bytes) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
