// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension String {
    /// Whether this is an `http` URL of this machine, decided from its bytes; `false` is inconclusive.
    package var namesLoopback: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            for host in Self.loopbackHosts
            where bytes.starts(with: UnsafeBufferPointer(start: host.utf8Start, count: 16)) {
                // Only a port may precede the path: `@` or another character would make it another host.
                let end = bytes[16...].first { $0 != UInt8(ascii: ":") && !(0x30...0x39).contains($0) }
                let isPort = bytes.count == 16 || !(0x30...0x39).contains(bytes[16])
                return isPort && (end == nil || end == UInt8(ascii: "/"))
            }
            return false
        } ?? false
    }

    /// Each has sixteen bytes.
    private static let loopbackHosts: [StaticString] = ["http://127.0.0.1", "http://localhost"]
}
