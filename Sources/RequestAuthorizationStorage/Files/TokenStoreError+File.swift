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
            default: (.failed, "check the disk")
            }
        self.init(kind, "cannot \(purpose) in \(folder.path): \(reason) (\(error.call)); \(advice)", underlying: error)
    }
}
