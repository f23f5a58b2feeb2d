// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// How many sockets this process holds whose own port is a given one.
///
/// The system may give a free port to another test. So a test that none is left needs a separate process.
enum HeldSockets {
    /// - Parameter family: another program may have the same port of the other family.
    static func all(on port: UInt16, family: Int32 = AF_INET) -> Int { descriptors(on: port, family: family).count }

    /// Those that are connected.
    static func accepted(on port: UInt16) -> Int {
        descriptors(on: port, family: AF_INET).count { descriptor in address(of: descriptor, by: getpeername) != nil }
    }

    private static func descriptors(on port: UInt16, family: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return names.compactMap { Int32($0) }.filter { descriptor in
            guard let address = address(of: descriptor, by: getsockname) else { return false }
            return address.port == port && Int32(address.family) == family
        }
    }

    private static func address(
        of descriptor: Int32,
        by call: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> (family: sa_family_t, port: UInt16)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
            // The port is at the same place in `sockaddr_in` and `sockaddr_in6`.
            let port = storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port }
            let family = storage.pointee.ss_family
            guard result == 0, Int32(family) == AF_INET || Int32(family) == AF_INET6 else { return nil }
            return (family, UInt16(bigEndian: port))
        }
    }
}
#endif
