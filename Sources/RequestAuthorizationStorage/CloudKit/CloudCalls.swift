// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The system calls for CloudKit: `CloudKitDatabase`, or a simulation in tests. They throw ``CloudFailure``. Any other
/// error counts as a failure that is tried again.
protocol CloudCalls: Sendable {
    var container: String { get }

    /// The entitlements of this program, or `nil` if the system does not tell them.
    var entitlements: CloudEntitlements? { get }

    /// `CKContainer.accountStatus()`
    func accountStatus() async throws -> CloudAccountStatus

    /// `CKContainer.userRecordID()`: a name of the iCloud account that is the same on all its devices.
    func accountName() async throws -> String

    /// `CKDatabase.record(for:)` of the private database
    func record(named name: String) async throws -> CloudRecord

    /// `CKDatabase.modifyRecords(saving:…)` with the policy `ifServerRecordUnchanged`
    func save(_ record: CloudRecord) async throws -> CloudRecord

    /// `CKDatabase.modifyRecords(…, deleting:)`
    func deleteRecord(named name: String) async throws

    /// `CKAccountChanged`: the user signed in to iCloud or out of it. The container is open for as long as that is read.
    var accountChanges: AsyncStream<Void>? { get }
}

extension CloudCalls {
    /// - Throws: `TokenStoreError` (`unsuitable`) if the container must not be opened.
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

/// The parts of iCloud that the signature of a program lets it use.
///
/// They are checked first, because a `CKContainer` without entitlement raises an exception that Swift cannot catch.
struct CloudEntitlements: Hashable, Sendable {
    var services: [String]
    var containers: [String]

    static let servicesKey = "com.apple.developer.icloud-services"
    static let containersKey = "com.apple.developer.icloud-container-identifiers"
}

/// A record of the private database with one field of bytes.
struct CloudRecord: Hashable, Sendable, RedactedDescription {
    let name: String
    var value: Data
    /// The server's last fields, such as the change tag (`CKRecord.encodeSystemFields`), or `nil` for a new record.
    var systemFields: Data?
}

/// `CKAccountStatus` (https://developer.apple.com/documentation/cloudkit/ckaccountstatus)
enum CloudAccountStatus: Int, Sendable, CaseIterable {
    case couldNotDetermine = 0
    case available = 1
    case restricted = 2
    case noAccount = 3
    case temporarilyUnavailable = 4
}
