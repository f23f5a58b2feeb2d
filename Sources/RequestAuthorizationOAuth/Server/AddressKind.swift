// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the host of a URL leads to, as far as its text says (RFC 6890).
enum AddressKind: String, Sendable {
    /// A name, or an address of the public network.
    case open = "public"
    case loopback
    case privateUse = "private"
    case linkLocal = "link-local"
    case uniqueLocal = "unique-local"
    case shared = "carrier's"
    case thisNetwork = "zero"
    case multicast, reserved
    /// A public IPv4 address within an IPv6 address.
    case mapped

    /// - Parameter host: as in `Origin`: in lower case, without brackets.
    /// - Returns: `nil` for a host that programs read differently: an escape, or a number that is no address.
    init?(host: String) {
        let host = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard !host.isEmpty, !host.utf8.contains(UInt8(ascii: "%")) else { return nil }
        if let bytes = Self.literal(String(host)) {
            self = bytes.count == 4 ? Self(ofIPv4: bytes[...]) : Self(ofIPv6: bytes)
        } else if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback  // RFC 6761 §6.3
        } else {
            // Browsers read a host that ends with a number as an address, whatever the number.
            guard let last = host.split(separator: ".").last, !host.contains(":"), !last.hasPrefix("0x"),
                !last.utf8.allSatisfy(\.isASCIIDigit)
            else { return nil }
            self = .open
        }
    }

    // MARK: -

    /// The bytes of an address in any spelling that the platform reads, such as `0x7f.1`; `nil` for a name.
    private static func literal(_ host: String) -> [UInt8]? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0, let list = unsafe list else { return nil }
        defer { unsafe freeaddrinfo(list) }
        guard let address = unsafe list.pointee.ai_addr else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(list.pointee.ai_addrlen))
        // `sockaddr_in` has the address after the port, `sockaddr_in6` after port and flow.
        return switch unsafe list.pointee.ai_family {
        case AF_INET where bytes.count >= 8: unsafe Array(bytes[4..<8])
        case AF_INET6 where bytes.count >= 24: unsafe Array(bytes[8..<24])
        default: nil
        }
    }

    private init(ofIPv4 bytes: ArraySlice<UInt8>) {
        let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
        self =
            switch (first, second) {
            case (0, _): .thisNetwork
            case (127, _): .loopback
            case (10, _), (172, 16...31), (192, 168): .privateUse
            case (169, 254): .linkLocal
            case (100, 64...127): .shared
            case (224...239, _): .multicast
            case (240..., _), (198, 18...19): .reserved
            case (192, 0) where bytes[bytes.startIndex + 2] == 0: .reserved
            default: .open
            }
    }

    private init(ofIPv6 bytes: [UInt8]) {
        let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
        if isZero(0..<15), bytes[15] < 2 {
            self = bytes[15] == 1 ? .loopback : .thisNetwork
        } else if isZero(0..<12) || (isZero(0..<10) && bytes[10] == 0xFF && bytes[11] == 0xFF)
            || (bytes.starts(with: [0, 0x64, 0xFF, 0x9B]) && isZero(4..<12))
        {
            self = Self(within: bytes[12...])
        } else {
            self =
                switch (bytes[0], bytes[1]) {
                case (0x20, 0x02): Self(within: bytes[2..<6])  // 6to4
                case (0x00, 0x64): .privateUse  // RFC 8215
                case (0xFE, 0x80...0xBF): .linkLocal
                case (0xFE, 0xC0...): .privateUse
                case (0xFC...0xFD, _): .uniqueLocal
                case (0xFF, _): .multicast
                default: .open
                }
        }
    }

    /// The kind of an IPv4 address within an IPv6 address.
    private init(within bytes: ArraySlice<UInt8>) {
        let inner = Self(ofIPv4: bytes)
        self = inner == .open ? .mapped : inner
    }
}
