// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The lock for a whole refresh, and the guard: the file that is locked while the item is replaced.
extension CredentialFiles {
    /// Acquires the lock for a whole refresh, or returns `nil` if it is held already.
    func tryLock() throws -> OpenFile? {
        while true {
            let folder = try made()
            let file = try lockFile(lockName, in: folder)
            guard try file.lock() else { return nil }
            if try isCurrent(file, lockName, in: folder) { return file }
        }
    }

    /// Runs the body exclusively among all threads and processes.
    ///
    /// - Parameter body: gets the guard file; `nil` if this call made it, which removes it again if the body throws.
    /// - Throws: ``GuardIsHeld`` before the body runs, and the errors of the body.
    func withGuard<Result>(
        in opened: OpenFolder? = nil, _ body: (OpenFolder, _ former: OpenFile?) throws -> Result
    ) throws -> Result {
        let folder = try opened ?? made()
        while true {
            let former = try folder.open(guardName, for: .overwriting)
            let file = try former ?? lockFile(guardName, in: folder)
            guard try file.lock() else { throw GuardIsHeld() }
            guard try isCurrent(file, guardName, in: folder) else { continue }
            do {
                return try withExtendedLifetime(file) { try body(folder, former) }
            } catch {
                if former == nil { try? folder.remove(guardName) }
                throw error
            }
        }
    }

    // MARK: -

    private func lockFile(_ name: String, in folder: OpenFolder) throws -> OpenFile {
        guard let file = try folder.open(name, for: .locking) else { throw FileError.missing("openat") }
        return file
    }

    private func isCurrent(_ lock: OpenFile, _ name: String, in folder: OpenFolder) throws -> Bool {
        let named = try folder.status(of: name)
        return named?.device == lock.status.device && named?.inode == lock.status.inode
    }
}

/// A sibling is replacing the item, or was stopped while it did.
struct GuardIsHeld: Error {}
