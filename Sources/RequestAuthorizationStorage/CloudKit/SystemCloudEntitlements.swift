// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CloudKit) && canImport(Security)
#if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
import Security
#endif

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.
// `CloudCalls.checkContainer()` has the decisions.

extension CloudEntitlements {
    /// The entitlements of this program. Only a Mac tells them; elsewhere `nil`.
    static var ofThisProgram: CloudEntitlements? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        return nil
        #else
        // https://developer.apple.com/documentation/security/sectaskcopyvalueforentitlement(_:_:_:)
        guard let program = SecTaskCreateFromSelf(nil) else { return nil }
        return CloudEntitlements(
            services: texts(SecTaskCopyValueForEntitlement(program, servicesKey as CFString, nil)),
            containers: texts(SecTaskCopyValueForEntitlement(program, containersKey as CFString, nil)))
        #endif
    }

    #if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
    private static func texts(_ value: CFTypeRef?) -> [String] {
        value as? [String] ?? (value as? String).map { [$0] } ?? []
    }
    #endif
}
#endif
