// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UUID {
    /// - Parameter bytes: 16 bytes.
    init(bytes: some Collection<UInt8>) {
        var id = UUID().uuid
        withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
        self.init(uuid: id)
    }
}
