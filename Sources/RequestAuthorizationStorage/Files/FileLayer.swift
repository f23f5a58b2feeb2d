// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The system calls of file stores, one function each.
///
/// Tests implement it to record, delay and fail calls, or to end the process between two calls. It is not public API. A
/// save is `open(.creating)`, `write`, `sync`, `rename`, `sync(folder)`. All names are single path components.
@_spi(FileLayer) public protocol FileLayer: Sendable {
    /// Opens a folder. Does not follow a symbolic link in the last component.
    func openFolder(_ path: String) throws -> CInt
    /// Makes a folder with mode 0700 durably. An existing folder is not an error.
    func makeFolder(_ path: String) throws
    /// Returns the status of the file at a path, or `nil` if there is none. Follows symbolic links.
    func status(ofPath path: String) throws -> FileStatus?
    func names(in folder: CInt) throws -> [String]

    /// Opens a file. Neither follows a symbolic link nor waits for the other end of a pipe. New files have mode 0600.
    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt
    func close(_ file: CInt)
    /// Returns the status of an open file or folder.
    func status(of file: CInt) throws -> FileStatus
    /// Returns the status of a name, or `nil` if there is none. Does not follow a symbolic link.
    func status(of name: String, in folder: CInt) throws -> FileStatus?

    /// Reads from the beginning, up to a limit in bytes.
    func read(_ file: CInt, atMost limit: Int) throws -> Data
    /// Writes all bytes at the beginning.
    func write(_ data: Data, to file: CInt) throws
    /// Makes the contents of a file or a folder durable.
    func sync(_ file: CInt) throws
    /// Makes the contents of a file durable, if its size has not changed.
    func syncData(_ file: CInt) throws

    func rename(_ name: String, to newName: String, in folder: CInt) throws
    func remove(_ name: String, in folder: CInt) throws

    /// Acquires the exclusive lock of a file, or returns `false` if it is held already.
    func lock(_ file: CInt) throws -> Bool
    /// Releases the lock of a file. Then sets the file's attributes to their present values, which notifies siblings.
    func unlock(_ file: CInt)

    /// Returns the identity of an open folder. `nil`, the default, if the system does not tell it.
    func birth(of folder: CInt) -> FolderBirth?

    /// Makes a queue for the blocking calls of a store. `nil`, the default, for a queue of the system.
    func makeQueue(_ label: String) -> (any FileQueue)?

    /// Whether programs may keep files. `true` by default; `false` on tvOS, which removes them.
    var keepsFiles: Bool { get }

    /// Whether files cannot be opened while the device is locked. `false` by default.
    var hasDataProtection: Bool { get }
    /// Lets a file, or a folder and the files made in it, be opened after the first unlock since the device was
    /// started. By default it does nothing.
    func protect(_ path: String)
}

extension FileLayer {
    public func makeQueue(_ label: String) -> (any FileQueue)? { nil }
    public var keepsFiles: Bool { true }
    public var hasDataProtection: Bool { false }
    public func protect(_ path: String) {}
    public func birth(of folder: CInt) -> FolderBirth? { nil }

    func queue(_ label: String) -> any FileQueue { makeQueue(label) ?? DispatchFileQueue(label) }
}

/// A file layer with notices of its own, in place of those of the system.
@_spi(FileLayer) public protocol NotifyingFileLayer: FileLayer {
    /// Calls a handler with the name of each file in a folder that was added, replaced, removed or unlocked.
    ///
    /// - Parameter handler: its argument is `nil` if the system does not tell which file it was.
    /// - Returns: ends the calls; `nil` if that is not possible now.
    func follow(_ folder: CInt, _ handler: @escaping @Sendable (String?) -> Void) -> (@Sendable () -> Void)?
}

/// How a file is opened.
@_spi(FileLayer) public enum FilePurpose: Hashable, Sendable {
    /// Opens an existing file to read it.
    case reading
    /// Opens an existing file to overwrite it in place.
    case overwriting
    /// Makes a new file to write it.
    case creating
    /// Opens a file to lock it, and makes it if it does not exist.
    case locking
}

/// The metadata of a file.
@_spi(FileLayer) public struct FileStatus: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var mode: UInt32
    public var owner: UInt32
    public var links: UInt64
    /// Bytes.
    public var size: Int64
    /// Nanoseconds since 1970.
    public var modifiedAt: Int64
    /// Nanoseconds since 1970.
    public var changedAt: Int64

    public init(
        device: UInt64, inode: UInt64, mode: UInt32, owner: UInt32, links: UInt64, size: Int64, modifiedAt: Int64,
        changedAt: Int64
    ) {
        (self.device, self.inode, self.mode, self.owner, self.links) = (device, inode, mode, owner, links)
        (self.size, self.modifiedAt, self.changedAt) = (size, modifiedAt, changedAt)
    }
}

/// The identity of a folder. The time of birth is part of it, because inode numbers are used again.
@_spi(FileLayer) public struct FolderBirth: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    /// Nanoseconds since 1970.
    public let bornAt: Int64

    public init(device: UInt64, inode: UInt64, bornAt: Int64) {
        (self.device, self.inode, self.bornAt) = (device, inode, bornAt)
    }
}

/// The failure of a system call.
@_spi(FileLayer) public struct FileError: Error, Hashable {
    /// The name of the function.
    public let call: String
    /// The value of `errno`.
    public let code: CInt

    public init(_ call: String, _ code: CInt) { (self.call, self.code) = (call, code) }
}
