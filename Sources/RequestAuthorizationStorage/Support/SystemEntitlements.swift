// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security)
import Security

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.

/// The entitlements in the signature of this program.
enum SystemEntitlements {
    /// The texts of an entitlement; empty if the program does not have it. `nil` on systems that do not tell: all but macOS.
    static func texts(_ key: String) -> [String]? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        return nil
        #else
        // https://developer.apple.com/documentation/security/sectaskcopyvalueforentitlement(_:_:_:)
        guard let program = SecTaskCreateFromSelf(nil) else { return nil }
        let value = SecTaskCopyValueForEntitlement(program, key as CFString, nil)
        return value as? [String] ?? (value as? String).map { [$0] } ?? []
        #endif
    }
}
#endif
