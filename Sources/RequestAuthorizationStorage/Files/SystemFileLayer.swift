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

/// The file system of the machine.
@_spi(FileLayer) public struct SystemFileLayer: FileLayer {
    public init() {}

    #if os(tvOS)
    /// https://developer.apple.com/library/archive/documentation/General/Conceptual/AppleTV_PG/
    public var keepsFiles: Bool { false }
    #endif

    public func openFolder(_ path: String) throws -> CInt {
        try call("open") { openPath(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    public func makeFolder(_ path: String) throws {
        do {
            _ = try call("mkdir") { mkdir(path, 0o700) }
            // A umask may have removed permissions of the owner.
            _ = try call("chmod") { chmod(path, 0o700) }
        } catch let error as FileError where error.alreadyExists {
            return
        }
        // A parent that cannot be read cannot be synced either.
        guard let parent = try? openParent(of: path) else { return }
        defer { close(parent) }
        try sync(parent)
    }

    public func status(ofPath path: String) throws -> FileStatus? { try status("stat") { stat(path, &$0) } }

    public func names(in folder: CInt) throws -> [String] {
        let copy = try call("openat") { openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(copy) else {
            defer { close(copy) }
            throw FileError("fdopendir", errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                // `readdir` returns NULL for the end and for an error.
                guard errno == 0 else { throw FileError("readdir", errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    public func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt {
        let flags =
            switch purpose {
            case .reading: O_RDONLY
            case .overwriting: O_RDWR
            case .creating: O_RDWR | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_CREAT
            }
        let file = try call("openat") {
            openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        }
        guard flags & O_CREAT != 0 else { return file }
        do {
            // A umask may have removed permissions of the owner. The permissions of others stay.
            let mode = try status(of: file).mode
            if mode & 0o600 != 0o600 { _ = try call("fchmod") { fchmod(file, mode_t(mode & 0o7777 | 0o600)) } }
            return file
        } catch {
            close(file)
            throw error
        }
    }

    public func close(_ file: CInt) { closeFile(file) }

    public func status(of file: CInt) throws -> FileStatus {
        guard let status = try status("fstat", { fstat(file, &$0) }) else { throw FileError.missing("fstat") }
        return status
    }

    public func status(of name: String, in folder: CInt) throws -> FileStatus? {
        try status("fstatat") { fstatat(folder, name, &$0, AT_SYMLINK_NOFOLLOW) }
    }

    public func read(_ file: CInt, atMost limit: Int) throws -> Data {
        // The buffer grows: tokens are small, and a buffer of the size of the limit costs more than all system calls.
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(limit, 4096), alignment: 1)
        var count = 0
        do {
            while count < limit {
                if count == buffer.count {
                    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: min(limit, count * 2), alignment: 1)
                    larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
                    Data.wipe(buffer)
                    buffer = larger
                }
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let read = try call("pread") { pread(file, rest.baseAddress, rest.count, off_t(count)) }
                if read == 0 { break }
                count += read
            }
            return Data(wiping: buffer, count: count)
        } catch {
            Data.wipe(buffer)
            throw error
        }
    }

    public func write(_ data: Data, to file: CInt) throws {
        try data.withUnsafeBytes { bytes in
            var count = 0
            while count < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
                count += try call("write") { pwrite(file, rest.baseAddress, rest.count, off_t(count)) }
            }
        }
    }

    public func sync(_ file: CInt) throws {
        #if canImport(Darwin)
        // fsync(2) of Darwin leaves data in the drive's cache. Some file systems do not support F_FULLFSYNC.
        if fcntl(file, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try call("fsync") { fsync(file) }
    }

    public func syncData(_ file: CInt) throws {
        #if canImport(Darwin)
        try sync(file)
        #else
        _ = try call("fdatasync") { fdatasync(file) }
        #endif
    }

    public func rename(_ name: String, to newName: String, in folder: CInt) throws {
        _ = try call("renameat") { renameat(folder, name, folder, newName) }
    }

    public func remove(_ name: String, in folder: CInt) throws {
        _ = try call("unlinkat") { unlinkat(folder, name, 0) }
    }

    public func lock(_ file: CInt) throws -> Bool {
        do {
            _ = try call("flock") { flock(file, LOCK_EX | LOCK_NB) }
            return true
        } catch let error as FileError where error.code == EWOULDBLOCK {
            return false
        }
    }

    public func unlock(_ file: CInt) {
        _ = flock(file, LOCK_UN)
        _ = fchmod(file, 0o600)
    }

    // MARK: -

    private func openParent(of path: String) throws -> CInt {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        return try call("open") {
            openPath(end == path.startIndex ? "/" : String(path[..<end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    /// Repeats a call that a signal has interrupted, and throws `errno` for -1.
    private func call<Number: FixedWidthInteger>(_ name: String, _ body: () -> Number) throws -> Number {
        while true {
            let result = body()
            if result != -1 { return result }
            let code = errno
            if code != EINTR { throw FileError(name, code) }
        }
    }

    private func status(_ name: String, _ body: (inout stat) -> CInt) throws -> FileStatus? {
        var status = stat()
        do {
            _ = try call(name) { body(&status) }
        } catch let error as FileError where error.isMissing {
            return nil
        }
        return FileStatus(status)
    }
}

// MARK: - The user

extension SystemFileLayer {
    /// The effective user of this process.
    static var user: UInt32 { geteuid() }

    #if !canImport(Darwin)
    /// The user's home folder in the password database, for daemons without an environment.
    static var registeredHome: String {
        // The entry points into the buffer, which must exist until the text is copied.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard let start = buffer.baseAddress,
                getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
            else { return "" }
            return String(cString: home)
        }
    }
    #endif
}

// MARK: - The identity of a folder

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

extension FileStatus {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
            mode: UInt32(truncatingIfNeeded: status.st_mode), owner: UInt32(status.st_uid),
            links: UInt64(truncatingIfNeeded: status.st_nlink), size: Int64(status.st_size),
            modifiedAt: Self.nanoseconds(modified), changedAt: Self.nanoseconds(changed))
    }

    /// Wraps around in the year 2262, which is harmless: times are only compared for equality.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
    /// Whether group or others have any permission.
    var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

// MARK: - Errors

extension FileError {
    static let notFolder = FileError("open", ENOTDIR)
    static func missing(_ call: String) -> FileError { FileError(call, ENOENT) }

    var isMissing: Bool { code == ENOENT }
    var alreadyExists: Bool { code == EEXIST }
}

extension TokenStoreError {
    /// - Parameter purpose: the failed operation, as in "save the token".
    init(_ error: FileError, of folder: PrivateFolder, to purpose: String) {
        let reason = String(cString: strerror(error.code))
        let (kind, advice): (Kind, String) =
            switch error.code {
            case ENOSPC, EDQUOT: (.noSpace, "free some space")
            case EROFS: (.readOnly, "use a store in another folder, or `readOnly`")
            // Data protection: the file can be opened once the device has been unlocked.
            case EPERM where folder.layer.hasDataProtection: (.unavailable, "it opens when the device is unlocked")
            case EACCES, EPERM: (.readOnly, "give its owner permission to read and write")
            case ELOOP, ENOTDIR, EISDIR, ENXIO:
                (.notPrivate, "a symbolic link or another kind of file is in its place; find out why, and remove it")
            case EMFILE, ENFILE, ENOMEM, ETIMEDOUT: (.unavailable, "try again later")
            case ENOLCK, ENOTSUP, ESTALE: (.failed, "network file systems may not keep locks; use a local disk")
            default: (.failed, "check the disk")
            }
        self.init(kind, "cannot \(purpose) in \(folder.path): \(reason) (\(error.call)); \(advice)", underlying: error)
    }
}

// The functions of the C library, which the methods of the same names hide.

private func openPath(_ path: String, _ flags: CInt) -> CInt { open(path, flags) }
private func closeFile(_ file: CInt) { _ = close(file) }
