// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension String {
    /// Whether this is plainly an `http` URL of this machine, read from its bytes; `false` says nothing.
    package var namesLoopback: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            for host in Self.loopbackHosts
            where bytes.starts(with: UnsafeBufferPointer(start: host.utf8Start, count: 16)) {
                // A port at most may stand before the path: `@` or another letter would make it another host.
                let end = bytes[16...].first { $0 != UInt8(ascii: ":") && !(0x30...0x39).contains($0) }
                let isPort = bytes.count == 16 || !(0x30...0x39).contains(bytes[16])
                return isPort && (end == nil || end == UInt8(ascii: "/"))
            }
            return false
        } ?? false
    }

    /// Of sixteen bytes each.
    private static let loopbackHosts: [StaticString] = ["http://127.0.0.1", "http://localhost"]
}
