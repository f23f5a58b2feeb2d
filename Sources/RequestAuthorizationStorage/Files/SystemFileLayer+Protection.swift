// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security) && !os(macOS)
import Foundation

// Not compiled on Linux, where CI checks its types against declarations of these calls: nothing but the calls. When they are
// made is decided in `PrivateFolder` and `OpenFolder`.

/// https://developer.apple.com/documentation/foundation/fileprotectiontype
extension SystemFileLayer {
    public var hasDataProtection: Bool { true }

    /// The class of the app's entitlements may be stricter: then a refresh in the background would find its token shut. What
    /// cannot be set stays as it is.
    public func protect(_ path: String) {
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
    }
}
#endif
