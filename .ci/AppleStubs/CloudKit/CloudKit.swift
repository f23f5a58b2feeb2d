// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Declarations of the API that `CloudKitDatabase` calls, with the types of Apple's reference
// (https://developer.apple.com/documentation/cloudkit), for the type checker only: the bodies do nothing.

import Foundation

public class CKContainer: NSObject {
    public init(identifier containerIdentifier: String) {}
    override init() {}
    public var privateCloudDatabase: CKDatabase { CKDatabase() }
    public func accountStatus() async throws -> CKAccountStatus { .couldNotDetermine }
    public func userRecordID() async throws -> CKRecord.ID { CKRecord.ID(recordName: "") }
}

public enum CKAccountStatus: Int, @unchecked Sendable {
    case couldNotDetermine = 0
    case available = 1
    case restricted = 2
    case noAccount = 3
    case temporarilyUnavailable = 4
}

extension NSNotification.Name {
    public static let CKAccountChanged = NSNotification.Name("")
}

public class CKDatabase: NSObject {
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        CKRecord(recordType: "", recordID: recordID)
    }
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) { ([:], [:]) }
}

public class CKModifyRecordsOperation: NSObject {
    public enum RecordSavePolicy: Int, Sendable {
        case ifServerRecordUnchanged = 0
        case changedKeys = 1
        case allKeys = 2
    }
}

public class CKRecord: NSObject {
    public typealias RecordType = String
    public typealias FieldKey = String

    public final class ID: NSObject, Sendable {
        public let recordName: String
        public init(recordName: String) { self.recordName = recordName }
    }

    public let recordID: CKRecord.ID
    public init(recordType: RecordType, recordID: CKRecord.ID) { self.recordID = recordID }
    public init?(coder: NSCoder) { nil }
    public func encodeSystemFields(with coder: NSCoder) {}
    public subscript(key: FieldKey) -> (any CKRecordValueProtocol)? {
        get { nil }
        set {}
    }
}

public protocol CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}

public struct CKError: Error {
    public enum Code: Int, Sendable {
        case internalError = 1
        case partialFailure = 2
        case serverRecordChanged = 14
    }
    public let code: Code
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
    public var retryAfterSeconds: Double? { nil }
    public var serverRecord: CKRecord? { nil }
    public var partialErrorsByItemID: [AnyHashable: any Error]? { nil }
}
