// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Stores an item in a record of the private database.
final class CloudKitTokenItem: ByteStore, RedactedDescription {
    /// A limit for the case that other devices keep changing the record.
    static let attempts = 4

    private let cloud: any CloudCalls
    private let name: @Sendable () async throws -> String
    /// The last record from the server. A save replaces only this one.
    private let last = Lock<CloudRecord?>(nil)

    /// - Parameter name: returns the record's name. Called for each operation, because it may be in a locked Keychain.
    init(cloud: any CloudCalls, name: @escaping @Sendable () async throws -> String) {
        (self.cloud, self.name) = (cloud, name)
    }

    var changes: AsyncStream<Void>? { cloud.accountChanges }

    func load() async throws -> Data? {
        try await onRecord { name in
            let record = try await record(named: name)
            last.withLock { $0 = record }
            return record?.value
        }
    }

    func save(_ item: Data) async throws {
        try await onRecord { name in
            var systemFields = last.withLock { $0?.name == name ? $0?.systemFields : nil }
            for _ in 0..<Self.attempts {
                do {
                    let saved = try await cloud.save(CloudRecord(name: name, value: item, systemFields: systemFields))
                    return last.withLock { $0 = saved }
                } catch let failure as CloudFailure {
                    systemFields = try await standing(after: failure.about(name), name)
                }
            }
            throw TokenStoreError(.unavailable, "other devices kept changing the record in iCloud; it is tried again")
        }
    }

    func clear() async throws {
        try await onRecord { name in
            do {
                try await cloud.deleteRecord(named: name)
            } catch let failure as CloudFailure where failure.about(name).meansAbsent {}
            last.withLock { $0 = nil }
        }
    }

    /// Returns the name of the current iCloud account, or throws ``TokenStoreError`` if there is none.
    func account() async throws -> String {
        try cloud.checkContainer()
        do {
            let status = try await cloud.accountStatus()
            switch status {
            case .available: return try await cloud.accountName()
            case .noAccount: throw CloudFailure(code: .notAuthenticated)
            case .restricted: throw CloudFailure(code: .managedAccountRestricted)
            case .couldNotDetermine, .temporarilyUnavailable:
                throw TokenStoreError(.unavailable, "the iCloud account is not ready (\(status)); it is tried again")
            }
        } catch let failure as CloudFailure {
            if failure.code == .operationCancelled { try Task.checkCancellation() }
            throw failure.reported
        }
    }

    // MARK: -

    private func record(named name: String) async throws -> CloudRecord? {
        do {
            return try await cloud.record(named: name)
        } catch let failure as CloudFailure where failure.about(name).meansAbsent {
            return nil
        }
    }

    /// The system fields of the record that the next attempt replaces, after a save that met another record.
    private func standing(after failure: CloudFailure, _ name: String) async throws -> Data? {
        if failure.meansAbsent { return nil }
        guard failure.code == .serverRecordChanged else { throw failure }
        if let record = failure.serverRecord { return record.systemFields }
        return try await record(named: name)?.systemFields
    }

    /// Runs the body if there is an iCloud account, and maps its errors to ``TokenStoreError``.
    private func onRecord<Result>(_ body: (_ name: String) async throws -> Result) async throws -> Result {
        _ = try await account()
        let name = try await name()
        do {
            return try await body(name)
        } catch let failure as CloudFailure {
            if failure.about(name).code == .operationCancelled { try Task.checkCancellation() }
            throw failure.about(name).reported
        }
    }
}
