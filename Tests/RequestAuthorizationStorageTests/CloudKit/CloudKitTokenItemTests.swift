// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationStorage

/// The meaning of each error and each state of the account for one record.
@Suite struct CloudKitTokenItemTests {
    private let cloud = FakeCloud()

    private func item() -> CloudKitTokenItem { CloudKitTokenItem(cloud: cloud) { "record" } }

    /// The error of an operation in which this call of the cloud fails.
    private func error(
        of call: FakeCloud.Call, failing failure: any Error, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> TokenStoreError? {
        cloud.fail(call, failure)
        return await #expect(throws: TokenStoreError.self, "\(call)", sourceLocation: sourceLocation) {
            switch call {
            case .save: try await item().save(Data([1]))
            case .delete: try await item().clear()
            default: _ = try await item().load()
            }
        }
    }

    static let meanings: [(CloudFailure.Code, TokenStoreError.Kind)] = [
        (.networkUnavailable, .unavailable), (.networkFailure, .unavailable), (.serverResponseLost, .unavailable),
        (.internalError, .unavailable), (.operationCancelled, .unavailable), (.notAuthenticated, .unavailable),
        (.accountTemporarilyUnavailable, .unavailable), (.badContainer, .unsuitable),
        (.missingEntitlement, .unsuitable), (.badDatabase, .unsuitable), (.permissionFailure, .unsuitable),
        (.invalidArguments, .unsuitable), (.managedAccountRestricted, .unsuitable), (.quotaExceeded, .noSpace),
        (.partialFailure, .unavailable),
        // Without names here: `serviceUnavailable`, `requestRateLimited`, `batchRequestFailed`, `zoneBusy`,
        // `limitExceeded`, and one that Apple has not named.
        (.init(rawValue: 6), .unavailable), (.init(rawValue: 7), .unavailable), (.init(rawValue: 22), .unavailable),
        (.init(rawValue: 23), .unavailable), (.init(rawValue: 27), .unavailable), (.init(rawValue: 99), .unavailable),
    ]

    @Test(arguments: meanings)
    func `each error is reported, and none means that there is no record`(
        code: CloudFailure.Code, kind: TokenStoreError.Kind
    ) async throws {
        for call in [FakeCloud.Call.record, .save, .delete] {
            for failure in [
                CloudFailure(code: code),
                CloudFailure(code: .partialFailure, partial: ["record": CloudFailure(code: code)]),
            ] {
                let error = await error(of: call, failing: failure)
                #expect(error?.kind == kind)
            }
        }
        #expect(cloud.records().isEmpty)
    }

    /// Frameworks that CloudKit uses throw errors of their own, and archives do.
    @Test func `an error of another framework is reported too, and its text is not printed`() async throws {
        struct Foreign: Error { let text = "S3CRET" }
        let archive = CloudFailure(code: .internalError, foreign: "NSCocoaErrorDomain 4864")
        for (failure, text) in [
            (Foreign(), "Foreign"), (NSError(domain: "S3CRET", code: 1), "NSError"),
            (archive, "NSCocoaErrorDomain 4864"),
        ] as [(any Error, String)] {
            for call in [FakeCloud.Call.accountStatus, .record, .save, .delete] {
                let error = await error(of: call, failing: failure)
                #expect(error?.kind == .unavailable && error?.detail.contains(text) == true)
                #expect(error.map { "\($0)" }?.contains("S3CRET") == false)
            }
        }
        cloud.fail(.record, CancellationError())
        await #expect(throws: CancellationError.self) { try await item().load() }
    }

    @Test func `the numbers are Apple's`() {
        let codes: [CloudFailure.Code] = [
            .internalError, .partialFailure, .networkUnavailable, .networkFailure, .badContainer, .missingEntitlement,
            .notAuthenticated, .permissionFailure, .unknownItem, .invalidArguments, .serverRecordChanged,
            .operationCancelled, .badDatabase, .quotaExceeded, .zoneNotFound, .userDeletedZone,
            .managedAccountRestricted, .serverResponseLost, .accountTemporarilyUnavailable,
        ]
        #expect(codes.map(\.rawValue) == [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 14, 20, 24, 25, 26, 28, 32, 34, 36])
    }

    @Test(arguments: [CloudFailure.Code.unknownItem, .zoneNotFound, .userDeletedZone])
    func `a missing record is nothing`(code: CloudFailure.Code) async throws {
        cloud.fail(.record, CloudFailure(code: code))
        #expect(try await item().load() == nil)
        cloud.fail(.record, CloudFailure(code: .partialFailure, partial: ["record": CloudFailure(code: code)]))
        #expect(try await item().load() == nil)
        cloud.fail(.delete, CloudFailure(code: code))
        try await item().clear()
    }

    @Test func `errors of other records are ignored`() async throws {
        cloud.fail(.record, CloudFailure(code: .partialFailure, partial: ["other": CloudFailure(code: .unknownItem)]))
        let error = await #expect(throws: TokenStoreError.self) { try await item().load() }
        #expect(error?.kind == .unavailable)
    }

    @Test(arguments: [false, true])
    func `the time of the next try is reported, and nothing is asked before`(isPartial: Bool) async throws {
        let clock = ManualClock()
        let item = CloudKitTokenItem(cloud: cloud, clock: clock) { "record" }
        // `requestRateLimited`
        let limited = CloudFailure(code: .init(rawValue: 7), retryAfter: 29.1)
        cloud.fail(.record, isPartial ? CloudFailure(code: .partialFailure, partial: ["record": limited]) : limited)
        for advance in [Duration.zero, .seconds(29)] {
            clock.advance(by: advance)
            let error = await #expect(throws: TokenStoreError.self) { try await item.load() }
            #expect(error?.kind == .unavailable && error?.detail.contains("30 s") == true)
        }
        #expect(cloud.calls == [.record] && cloud.questions == 1)
        clock.advance(by: .seconds(1))
        #expect(try await item.load() == nil)
        #expect(cloud.calls == [.record, .record])
    }

    @Test(arguments: CloudAccountStatus.allCases.filter { $0 != .available })
    func `without an account the state is unknown, and no request is sent`(status: CloudAccountStatus) async throws {
        cloud.status = status
        let kind: TokenStoreError.Kind = status == .restricted ? .unsuitable : .unavailable
        for operation in 0..<3 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                switch operation {
                case 0: _ = try await item().load()
                case 1: try await item().save(Data([1]))
                default: try await item().clear()
                }
            }
            #expect(error?.kind == kind)
        }
        #expect(cloud.calls == [])
    }

    @Test func `the record of another account is read, and neither replaced nor removed`() async throws {
        let item = item()
        item.own.withLock { $0.account = "ada" }
        cloud.signIn(as: "grace")
        for operation in 0..<2 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                if operation == 0 { try await item.save(Data([1])) } else { try await item.clear() }
            }
            #expect(error?.kind == .unsuitable)
        }
        #expect(try await item.load() == nil)
        #expect(cloud.calls == [.record])
    }

    // MARK: - Entitlements

    static let container = "iCloud.com.example"
    static let entitled = CloudEntitlements(services: ["CloudKit"], containers: ["iCloud.com.other", container])

    @Test(
        arguments: [
            ("", nil), ("iCloud.", nil), ("com.example", nil), ("com.example", entitled),
            (container, CloudEntitlements(services: [], containers: [container])),
            (container, CloudEntitlements(services: ["CloudDocuments"], containers: [container])),
            (container, CloudEntitlements(services: ["CloudKit"], containers: [])),
            ("iCloud.com.unknown", entitled),
        ] as [(String, CloudEntitlements?)])
    func `a container that would crash the program is refused, and never opened`(
        container: String, entitlements: CloudEntitlements?
    ) async throws {
        cloud.open(container, entitlements: entitlements)
        for operation in 0..<4 {
            let error = await #expect(throws: TokenStoreError.self, "\(operation)") {
                switch operation {
                case 0: _ = try await item().load()
                case 1: try await item().save(Data([1]))
                case 2: try await item().clear()
                default: _ = try await item().account()
                }
            }
            #expect(error?.kind == .unsuitable)
        }
        #expect(item().changes == nil)
        #expect(cloud.calls == [] && cloud.questions == 0)
    }

    @Test(arguments: [entitled, CloudEntitlements(services: ["*"], containers: [container]), nil])
    func `a container with an entitlement is opened, and also one where the system does not tell`(
        entitlements: CloudEntitlements?
    ) async throws {
        cloud.open(Self.container, entitlements: entitlements)
        try await item().save(Data([1]))
        #expect(try await item().load() == Data([1]))
        #expect(cloud.questions == 2)
    }

    // MARK: - Conflicts

    @Test func `a record that another device changed is replaced`() async throws {
        let (phone, tablet) = (item(), item())
        try await phone.save(Data([1]))
        try await tablet.save(Data([2]))
        try await phone.save(Data([3]))
        #expect(cloud.records()["record"]?.value == Data([3]))
        #expect(cloud.calls == [.save, .save, .save, .save, .save])
    }

    @Test func `a record is replaced also if the server does not send the present one`() async throws {
        try await item().save(Data([1]))
        cloud.forgetCalls()
        let other = item()
        cloud.fail(.save, CloudFailure(code: .serverRecordChanged))
        try await other.save(Data([2]))
        #expect(cloud.calls == [.save, .record, .save])
        #expect(try await other.load() == Data([2]))
    }

    @Test func `a record that another device deleted is created again`() async throws {
        let phone = item()
        try await phone.save(Data([1]))
        try await item().clear()
        try await phone.save(Data([2]))
        #expect(cloud.records()["record"]?.value == Data([2]))
    }

    @Test func `a record that other devices change without end does not keep the store busy without end`() async throws
    {
        cloud.fail(all: .save, CloudFailure(code: .serverRecordChanged))
        let error = await #expect(throws: TokenStoreError.self) { try await item().save(Data([1])) }
        #expect(error?.kind == .unavailable)
        #expect(cloud.calls.filter { $0 == .save }.count == CloudKitTokenItem.attempts)
    }

    @Test func `a call that ends because its task does is a cancellation`() async throws {
        cloud.fail(.record, CloudFailure(code: .operationCancelled))
        let load = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await item().load()
        }
        await #expect(throws: CancellationError.self) { try await load.value }
    }
}
