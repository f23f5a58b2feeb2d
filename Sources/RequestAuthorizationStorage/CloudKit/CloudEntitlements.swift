// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The parts of iCloud that the signature of a program lets it use.
///
/// They are checked first, because a `CKContainer` without entitlement raises an exception that Swift cannot catch.
struct CloudEntitlements: Hashable, Sendable {
    /// `com.apple.developer.icloud-services`
    var services: [String]
    /// `com.apple.developer.icloud-container-identifiers`
    var containers: [String]

    static let servicesKey = "com.apple.developer.icloud-services"
    static let containersKey = "com.apple.developer.icloud-container-identifiers"
}

extension CloudCalls {
    /// - Throws: ``TokenStoreError`` (`unsuitable`) if the container must not be opened.
    func checkContainer() throws {
        guard container.hasPrefix("iCloud."), container.count > "iCloud.".count else {
            throw TokenStoreError(
                .unsuitable, "'\(container)' is no iCloud container; use an identifier such as iCloud.com.example.app")
        }
        guard let entitlements else { return }
        guard !Set(entitlements.services).isDisjoint(with: ["CloudKit", "CloudKit-Anonymous", "*"]) else {
            throw TokenStoreError(
                .unsuitable,
                "this program is not signed for CloudKit; add \(CloudEntitlements.servicesKey) to its entitlements")
        }
        guard entitlements.containers.contains(container) else {
            throw TokenStoreError(
                .unsuitable,
                "this program may not use \(container); add it to \(CloudEntitlements.containersKey) in its entitlements"
            )
        }
    }
}
