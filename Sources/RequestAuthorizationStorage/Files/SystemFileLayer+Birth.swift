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

extension SystemFileLayer {
    #if canImport(Darwin)
    public func birth(of folder: CInt) -> FolderBirth? {
        var status = stat()
        guard fstat(folder, &status) == 0 else { return nil }
        let time = status.st_birthtimespec
        return FolderBirth(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
            bornAt: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
    #else
    /// Calls `statx`, which the Swift module of the C library does not declare. `nil` on systems without it.
    public func birth(of folder: CInt) -> FolderBirth? {
        guard let statx = Self.statx else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
            // AT_EMPTY_PATH; STATX_INO and STATX_BTIME. `struct statx` has the same offsets on all machines.
            guard let bytes = buffer.baseAddress, statx(folder, "", 0x1000, 0x900, bytes) == 0,
                buffer.load(as: UInt32.self) & 0x900 == 0x900
            else { return nil }
            let seconds = buffer.load(fromByteOffset: 80, as: Int64.self)
            // The root of a file system that was made as an image has no time of birth.
            guard seconds != 0 else { return nil }
            return FolderBirth(
                device: buffer.load(fromByteOffset: 136, as: UInt64.self),
                inode: buffer.load(fromByteOffset: 32, as: UInt64.self),
                bornAt: seconds &* 1_000_000_000 &+ Int64(buffer.load(fromByteOffset: 88, as: UInt32.self)))
        }
    }

    private typealias Statx =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer) -> CInt

    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Statx.self) }
    #endif
}
