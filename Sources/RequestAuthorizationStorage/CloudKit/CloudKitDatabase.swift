// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CloudKit) && (canImport(CryptoKit) || Crypto)
import CloudKit
import Foundation

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.
// `CloudFailure` and `CloudKitTokenItem` have the decisions.

/// The private database of an iCloud container (https://developer.apple.com/documentation/cloudkit/ckdatabase).
struct CloudKitDatabase: CloudCalls {
    static let recordType = "RequestAuthorizationToken"
    static let field = "envelope"

    let container: String

    /// Only a Mac tells them; elsewhere `nil`.
    var entitlements: CloudEntitlements? {
        guard let services = SystemEntitlements.texts(CloudEntitlements.servicesKey),
            let containers = SystemEntitlements.texts(CloudEntitlements.containersKey)
        else { return nil }
        return CloudEntitlements(services: services, containers: containers)
    }

    /// Ends a program without entitlement; call `CloudCalls.checkContainer()` first.
    private var openedContainer: CKContainer { CKContainer(identifier: container) }

    func accountStatus() async throws -> CloudAccountStatus {
        try await reporting {
            CloudAccountStatus(rawValue: try await openedContainer.accountStatus().rawValue) ?? .couldNotDetermine
        }
    }

    func accountName() async throws -> String {
        try await reporting { try await openedContainer.userRecordID().recordName }
    }

    func record(named name: String) async throws -> CloudRecord {
        try await reporting {
            CloudRecord(try await openedContainer.privateCloudDatabase.record(for: CKRecord.ID(recordName: name)))
        }
    }

    func save(_ record: CloudRecord) async throws -> CloudRecord {
        try await reporting {
            let saved = try CKRecord.make(record)
            let id = saved.recordID
            let results = try await openedContainer.privateCloudDatabase.modifyRecords(
                saving: [saved], deleting: [], savePolicy: .ifServerRecordUnchanged, atomically: false
            ).saveResults
            guard let result = results[id] else { throw CKError(.internalError) }
            return CloudRecord(try result.get())
        }
    }

    func deleteRecord(named name: String) async throws {
        try await reporting {
            let id = CKRecord.ID(recordName: name)
            let results = try await openedContainer.privateCloudDatabase.modifyRecords(
                saving: [], deleting: [id], savePolicy: .ifServerRecordUnchanged, atomically: false
            ).deleteResults
            try results[id]?.get()
        }
    }

    var accountChanges: AsyncStream<Void>? {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                // A container posts the notifications, for as long as it exists.
                let opened = openedContainer
                for await _ in NotificationCenter.default.notifications(named: .CKAccountChanged).map({ _ in () }) {
                    continuation.yield()
                }
                withExtendedLifetime(opened) {}
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as CKError {
            throw CloudFailure(error)
        } catch  where !(error is CancellationError) {
            let error = error as NSError
            throw CloudFailure(code: .internalError, foreign: "\(error.domain) \(error.code)")
        }
    }
}

extension CloudRecord {
    fileprivate init(_ record: CKRecord) {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        self.init(
            name: record.recordID.recordName, value: record[CloudKitDatabase.field] as? Data ?? Data(),
            systemFields: coder.encodedData)
    }
}

extension CKRecord {
    fileprivate static func make(_ record: CloudRecord) throws -> CKRecord {
        let coder = try record.systemFields.map { try NSKeyedUnarchiver(forReadingFrom: $0) }
        coder?.requiresSecureCoding = true
        let made =
            coder.flatMap { CKRecord(coder: $0) }
            ?? CKRecord(recordType: CloudKitDatabase.recordType, recordID: CKRecord.ID(recordName: record.name))
        made[CloudKitDatabase.field] = record.value
        return made
    }
}

extension CloudFailure {
    fileprivate init(_ error: CKError) {
        self.init(code: Code(rawValue: error.code.rawValue))
        retryAfter = error.retryAfterSeconds
        serverRecord = error.serverRecord.map { CloudRecord($0) }
        for (id, error) in error.partialErrorsByItemID ?? [:] {
            guard let id = id as? CKRecord.ID, let error = error as? CKError else { continue }
            partial[id.recordName] = CloudFailure(error)
        }
    }
}
#endif
