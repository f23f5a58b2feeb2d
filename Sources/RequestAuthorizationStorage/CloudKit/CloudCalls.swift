// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// The few calls of CloudKit that are used, as values. They throw ``CloudFailure``.
///
/// `CloudKitDatabase` makes them; tests have a cloud of their own.
protocol CloudCalls: Sendable {
    /// The identifier of the container.
    var container: String { get }

    /// Those of this program; `nil` if the system does not tell.
    var entitlements: CloudEntitlements? { get }

    /// `CKContainer.accountStatus()`
    func accountStatus() async throws -> CloudAccountStatus

    /// `CKContainer.userRecordID()`: a name for the iCloud account that is the same on all its devices.
    func accountName() async throws -> String

    /// `CKDatabase.record(for:)` of the private database
    func record(named name: String) async throws -> CloudRecord

    /// `CKDatabase.modifyRecords(saving:…)` with the policy `ifServerRecordUnchanged`
    func save(_ record: CloudRecord) async throws -> CloudRecord

    /// `CKDatabase.modifyRecords(…, deleting:)`
    func deleteRecord(named name: String) async throws

    /// `CKAccountChanged`: somebody signed in to iCloud, or out.
    var accountChanges: AsyncStream<Void>? { get }
}

/// A record of the private database with one field of bytes.
struct CloudRecord: Hashable, Sendable, RedactedDescription {
    let name: String
    var value: Data
    /// What the server said of it last, its change tag among that (`CKRecord.encodeSystemFields`); `nil` for a new one.
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
