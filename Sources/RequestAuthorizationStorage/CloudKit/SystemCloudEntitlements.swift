// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CloudKit) && canImport(Security)
// `CloudCalls.checkContainer()` has the decisions.

extension CloudEntitlements {
    /// The entitlements of this program. Only a Mac tells them; elsewhere `nil`.
    static var ofThisProgram: CloudEntitlements? {
        guard let services = SystemEntitlements.texts(servicesKey),
            let containers = SystemEntitlements.texts(containersKey)
        else { return nil }
        return CloudEntitlements(services: services, containers: containers)
    }
}
#endif
