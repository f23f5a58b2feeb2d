// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The system calls for CloudKit: `CloudKitDatabase`, or a simulation in tests. They throw ``CloudFailure``.
protocol CloudCalls: Sendable {
    /// The identifier of the container.
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

    /// `CKAccountChanged`: the user signed in to iCloud or out of it.
    var accountChanges: AsyncStream<Void>? { get }
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
