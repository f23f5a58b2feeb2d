// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security) && !os(macOS)
import Foundation

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.
// `PrivateFolder` and `OpenFolder` make them.

/// https://developer.apple.com/documentation/foundation/fileprotectiontype
extension SystemFileLayer {
    public var hasDataProtection: Bool { true }

    /// The app's entitlements may set a stricter class, with which a refresh in the background could not open its file.
    /// A failure is ignored.
    public func protect(_ path: String) {
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
    }
}
#endif
