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

/// A ``PrivateFolder`` that is open, with the only calls that are made in it. It is closed when nobody has it any more, so
/// its number is used in here alone.
final class OpenFolder: Sendable {
    private let number: CInt
    let path: String
    /// Who ran this when it was opened: all that is in it has to belong to them.
    let user = geteuid()
    private let layer: any FileLayer

    init(_ number: CInt, path: String, layer: any FileLayer) {
        (self.number, self.path, self.layer) = (number, path, layer)
    }

    deinit { layer.close(number) }

    var status: FileStatus { get throws { try layer.status(of: number) } }
    /// `nil` if the file system does not note it.
    var birth: FolderBirth? { layer.birth(of: number) }
    var names: [String] { get throws { try layer.names(in: number) } }
    func status(of name: String) throws -> FileStatus? { try layer.status(of: name, in: number) }

    /// Calls a body with the number of the folder.
    func withNumber<Result>(_ body: (CInt) throws -> Result) rethrows -> Result { try body(number) }

    /// Opens a file, if it is one of ours.
    ///
    /// - Returns: `nil` if it is not there.
    func open(_ name: String, for purpose: FilePurpose) throws -> OpenFile? {
        do {
            let file = try OpenFile(try layer.open(name, in: number, for: purpose), layer: layer)
            try check(file.status, name)
            return file
        } catch let error as FileError where error.code == ENOENT {
            return nil
        }
    }

    /// Makes a file that is not there.
    func create(_ name: String) throws -> OpenFile {
        let file = try OpenFile(try layer.open(name, in: number, for: .creating), layer: layer)
        layer.protect("\(path)/\(name)")
        return file
    }

    /// Refuses to go on if something that is not ours stands under a name.
    func check(_ name: String) throws {
        if let status = try status(of: name) { try check(status, name) }
    }

    func rename(_ name: String, to newName: String) throws { try layer.rename(name, to: newName, in: number) }
    func link(_ name: String, to newName: String) throws { try layer.link(name, to: newName, in: number) }

    /// Removes a file; that it is not there is no error.
    func remove(_ name: String) throws {
        do {
            try layer.remove(name, in: number)
        } catch let error as FileError where error.code == ENOENT {}
    }

    /// Makes durable which files there are.
    func sync() throws { try layer.sync(number) }

    // MARK: -

    /// A file of ours is a plain one, of our user, with one name, that nobody else can open.
    private func check(_ status: FileStatus, _ name: String) throws {
        let problem: String? =
            if !status.isFile {
                "is not a plain file"
            } else if status.owner != user {
                "belongs to user \(status.owner), and this runs as user \(user)"
            } else if status.links > 1 {
                "has a second name elsewhere"
            } else if status.isOpenToOthers {
                "can be opened by others"
            } else {
                nil
            }
        guard let problem else { return }
        throw TokenStoreError(
            .notPrivate, "\(path)/\(name) \(problem); find out why, then remove it and sign in again")
    }
}

/// A file that is open. It is closed when nobody has it any more, so its number is used in here alone.
final class OpenFile: Sendable {
    private let number: CInt
    private let layer: any FileLayer
    /// What the system said of it when it was opened.
    let status: FileStatus

    /// - Parameter number: closed also if this throws.
    init(_ number: CInt, layer: any FileLayer) throws {
        (self.number, self.layer) = (number, layer)
        do {
            status = try layer.status(of: number)
        } catch {
            layer.close(number)
            throw error
        }
    }

    deinit { layer.close(number) }

    /// Reads what was there when it was opened, up to a number of bytes: no file of ours grows.
    func read(atMost limit: Int) throws -> Data { try layer.read(number, atMost: min(limit, Int(status.size))) }
    func write(_ data: Data) throws { try layer.write(data, to: number) }
    func sync() throws { try layer.sync(number) }
    func syncData() throws { try layer.syncData(number) }
    /// - Returns: whether it was to be had.
    func lock() throws -> Bool { try layer.lock(number) }
    func unlock() { layer.unlock(number) }
}
