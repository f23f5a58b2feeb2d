// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Random numbers at the cost of an addition, for delays. Keys and identifiers need the system's.
enum Chance {
    private static let state = Atomic(UInt64.random(in: 0 ... .max))

    /// 0 to 1 (SplitMix64).
    @Sendable static func next() -> Double {
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
    }
}

extension UUID {
    /// A random identifier (RFC 9562 §5.4). On Linux `UUID()` asks the system once for each byte, which takes 3 µs.
    static func random() -> UUID {
        #if canImport(Glibc)
        var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        guard getentropy(&bytes, MemoryLayout.size(ofValue: bytes)) == 0 else { return UUID() }
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes)
        #else
        UUID()
        #endif
    }
}
