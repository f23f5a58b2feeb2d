// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An open ``PrivateFolder``. All calls on its descriptor are in this class, which closes it on deinitialization.
final class OpenFolder: Sendable {
    private let number: CInt
    let path: String
    /// The effective user when the folder was opened. All its files must belong to this user.
    let user: UInt32
    private let layer: any FileLayer

    init(_ number: CInt, path: String, user: UInt32, layer: any FileLayer) {
        (self.number, self.path, self.user, self.layer) = (number, path, user, layer)
    }

    deinit { layer.close(number) }

    var status: FileStatus { get throws { try layer.status(of: number) } }
    /// `nil` if the file system does not record it.
    var birth: FolderBirth? { layer.birth(of: number) }
    var names: [String] { get throws { try layer.names(in: number) } }
    func status(of name: String) throws -> FileStatus? { try layer.status(of: name, in: number) }

    func withNumber<Result>(_ body: (CInt) throws -> Result) rethrows -> Result { try body(number) }

    /// Opens a file, and throws if it is not ours.
    ///
    /// - Returns: `nil` if the file does not exist.
    func open(_ name: String, for purpose: FilePurpose) throws -> OpenFile? {
        do {
            let file = try OpenFile(try layer.open(name, in: number, for: purpose), layer: layer)
            try check(file.status, name)
            return file
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    func create(_ name: String) throws -> OpenFile {
        let file = try OpenFile(try layer.open(name, in: number, for: .creating), layer: layer)
        layer.protect("\(path)/\(name)")
        return file
    }

    /// Throws if the name has a file that is not ours.
    func check(_ name: String) throws { if let status = try status(of: name) { try check(status, name) } }

    func rename(_ name: String, to newName: String) throws { try layer.rename(name, to: newName, in: number) }

    /// Removes a file. A missing file is not an error.
    func remove(_ name: String) throws {
        do {
            try layer.remove(name, in: number)
        } catch let error as FileError where error.isMissing {}
    }

    /// Makes added, renamed and removed names durable.
    func sync() throws { try layer.sync(number) }

    // MARK: -

    /// Throws unless the file is a plain one with one name, belongs to our user and is closed to others.
    private func check(_ status: FileStatus, _ name: String) throws {
        let problem: String? =
            if !status.isFile {
                "is not a plain file"
            } else if status.owner != user {
                "belongs to user \(status.owner), but this program runs as user \(user)"
            } else if status.links > 1 {
                "has a second name (a hard link)"
            } else if status.isOpenToOthers {
                "can be opened by others"
            } else {
                nil
            }
        guard let problem else { return }
        throw TokenStoreError(.notPrivate, "\(path)/\(name) \(problem); find out why, then remove it and sign in again")
    }
}

/// An open file. All calls on its descriptor are in this class, which closes it on deinitialization.
final class OpenFile: Sendable {
    private let number: CInt
    private let layer: any FileLayer
    /// The metadata from when the file was opened.
    let status: FileStatus

    /// - Parameter number: the descriptor. It is closed if this throws.
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

    /// Reads up to the size that the file had when it was opened, because our files never grow.
    func read(atMost limit: Int) throws -> Data { try layer.read(number, atMost: Int(min(Int64(limit), status.size))) }
    func write(_ data: Data) throws { try layer.write(data, to: number) }
    func sync() throws { try layer.sync(number) }
    func syncData() throws { try layer.syncData(number) }
    /// - Returns: `false` if the lock is held already.
    func lock() throws -> Bool { try layer.lock(number) }
    func unlock() { layer.unlock(number) }
}
