// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Compares secrets.
package enum ConstantTime {
    /// Whether two texts are equal. The time does not depend on where they differ; their lengths are not secret.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether two sequences of bytes are equal. All bytes are compared, even after a difference.
    package static func areEqual<Bytes: RandomAccessCollection<UInt8>>(_ left: Bytes, _ right: Bytes) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
