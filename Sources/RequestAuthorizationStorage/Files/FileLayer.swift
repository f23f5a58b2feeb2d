// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The calls of the system that file stores make, one function each.
///
/// Behind it tests record, delay and break what the disk does, or end the process between two calls. It is no part of the
/// public interface. A save is `open(.create)`, `write`, `sync`, `rename`, `sync(folder)`; all names are single components.
@_spi(FileLayer) public protocol FileLayer: Sendable {
    /// Opens a folder, not following a symbolic link in the last component.
    func openFolder(_ path: String) throws -> CInt
    /// Makes a folder, 0700, and makes that durable. One that is there is no error.
    func makeFolder(_ path: String) throws
    /// What stands at a path; symbolic links are followed.
    func status(ofPath path: String) throws -> FileStatus?
    /// The names in a folder.
    func names(in folder: CInt) throws -> [String]

    /// Opens a file, not following a symbolic link and not waiting for the other end of a pipe. New ones are 0600.
    func open(_ name: String, in folder: CInt, for purpose: FilePurpose) throws -> CInt
    func close(_ file: CInt)
    /// What is open.
    func status(of file: CInt) throws -> FileStatus
    /// What stands under a name, the symbolic link itself if it is one.
    func status(of name: String, in folder: CInt) throws -> FileStatus?

    /// Reads from the beginning, up to a number of bytes.
    func read(_ file: CInt, atMost limit: Int) throws -> Data
    /// Writes all bytes at the beginning.
    func write(_ data: Data, to file: CInt) throws
    /// Makes durable what was written to a file or changed in a folder.
    func sync(_ file: CInt) throws
    /// Makes durable what was overwritten in a file whose size has not changed.
    func syncData(_ file: CInt) throws

    func rename(_ name: String, to newName: String, in folder: CInt) throws
    /// Gives a file a second name.
    func link(_ name: String, to newName: String, in folder: CInt) throws
    func remove(_ name: String, in folder: CInt) throws

    /// Takes the exclusive lock of a file if it is free.
    ///
    /// - Returns: whether it was.
    func lock(_ file: CInt) throws -> Bool
    /// Lets go of the lock of a file, and then changes the file's attributes to what they are, so that others hear of it.
    func unlock(_ file: CInt)

    /// Which folder is open. By default that is not known.
    func birth(of folder: CInt) -> FolderBirth?

    /// Whether the system keeps files shut while the device is locked. By default it does not.
    var hasDataProtection: Bool { get }
    /// Lets a file or folder of ours, and what is made in it, be opened from the first unlock after a start on. By default
    /// nothing keeps them shut, and nothing is done.
    func protect(_ path: String)
}

extension FileLayer {
    public var hasDataProtection: Bool { false }
    public func protect(_ path: String) {}
    public func birth(of folder: CInt) -> FolderBirth? { nil }
}

/// What a file is opened for.
@_spi(FileLayer) public enum FilePurpose: Hashable, Sendable {
    /// To be read; it must be there.
    case reading
    /// To be overwritten in place; it must be there.
    case overwriting
    /// To be written for the first time; it must not be there.
    case creating
    /// To be locked; made if it is not there.
    case locking
}

/// What the system says of a file.
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
}

/// What tells a folder from all others that ever stood at its path: numbers alone are given again.
@_spi(FileLayer) public struct FolderBirth: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    /// Nanoseconds since 1970.
    public let bornAt: Int64

    public init(device: UInt64, inode: UInt64, bornAt: Int64) {
        (self.device, self.inode, self.bornAt) = (device, inode, bornAt)
    }
}

/// A call of the system failed.
@_spi(FileLayer) public struct FileError: Error, Hashable {
    /// The name of the function.
    public let call: String
    /// The value of `errno`.
    public let code: CInt

    public init(_ call: String, _ code: CInt) {
        self.call = call
        self.code = code
    }
}
