// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

@testable import RequestAuthorizationStorage

/// An iCloud in memory: accounts with private databases, whose records change their tag with each save.
final class FakeCloud: Sendable {
    enum Call: Hashable, Sendable { case accountStatus, record, save, delete }

    fileprivate struct State {
        var account: String? = "ada"
        var status = CloudAccountStatus.available
        var container = "iCloud.com.example"
        var entitlements: CloudEntitlements?
        var questions = 0
        var records: [String: [String: CloudRecord]] = [:]
        var tags: UInt64 = 0
        var calls: [Call] = []
        var scripted: [Call: [any Error]] = [:]
        var lasting: [Call: any Error] = [:]
        /// Called once, right before the next save.
        var beforeSave: (@Sendable () async -> Void)?
        /// Called once, while the next answer to a read is on its way.
        var afterRead: (@Sendable () async -> Void)?
    }

    fileprivate let state = Lock(State())
    fileprivate let (changes, continuation) = AsyncStream.makeStream(of: Void.self)

    /// The requests in order, without those for the account.
    var calls: [Call] { state.withLock(\.calls) }
    /// The records of an account.
    func records(of account: String = "ada") -> [String: CloudRecord] { state.withLock { $0.records[account] ?? [:] } }

    var status: CloudAccountStatus {
        get { state.withLock(\.status) }
        set { state.withLock { $0.status = newValue } }
    }

    /// The arguments of the store, and the entitlements of the program.
    func open(_ container: String, entitlements: CloudEntitlements?) {
        state.withLock { ($0.container, $0.entitlements) = (container, entitlements) }
    }
    /// The number of requests for the account and for its changes, which open the container.
    var questions: Int { state.withLock(\.questions) }

    func signIn(as account: String) {
        state.withLock { $0.account = account }
        continuation.yield()
    }

    func fail(_ call: Call, _ failures: any Error...) {
        state.withLock { $0.scripted[call, default: []] += failures }
    }
    func fail(all call: Call, _ failure: (any Error)?) { state.withLock { $0.lasting[call] = failure } }
    func beforeSave(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.beforeSave = body } }
    func afterRead(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.afterRead = body } }
    func forgetCalls() { state.withLock { $0.calls = [] } }

    fileprivate func perform<Result>(_ call: Call, _ body: (inout State, String) throws -> Result) throws -> Result {
        try state.withLock { state in
            state.calls.append(call)
            if state.scripted[call]?.isEmpty == false, let failure = state.scripted[call]?.removeFirst() {
                throw failure
            }
            if let failure = state.lasting[call] { throw failure }
            guard let account = state.account else { throw CloudFailure(code: .notAuthenticated) }
            return try body(&state, account)
        }
    }
}

extension FakeCloud: CloudCalls {
    var container: String { state.withLock(\.container) }
    var entitlements: CloudEntitlements? { state.withLock(\.entitlements) }

    func accountStatus() async throws -> CloudAccountStatus {
        try state.withLock { state in
            state.questions += 1
            guard state.scripted[.accountStatus]?.isEmpty == false,
                let failure = state.scripted[.accountStatus]?.removeFirst()
            else { return }
            throw failure
        }
        return status
    }

    func accountName() async throws -> String {
        guard let account = state.withLock(\.account) else { throw CloudFailure(code: .notAuthenticated) }
        return account
    }

    func record(named name: String) async throws -> CloudRecord {
        let answer = Result {
            try perform(.record) { state, account in
                guard let record = state.records[account]?[name] else { throw CloudFailure(code: .unknownItem) }
                return record
            }
        }
        let meanwhile = state.withLock { state in
            defer { state.afterRead = nil }
            return state.afterRead
        }
        await meanwhile?()
        return try answer.get()
    }

    func save(_ record: CloudRecord) async throws -> CloudRecord {
        let meanwhile = state.withLock { state in
            defer { state.beforeSave = nil }
            return state.beforeSave
        }
        await meanwhile?()
        return try perform(.save) { state, account in
            let kept = state.records[account]?[record.name]
            if kept == nil, record.systemFields != nil { throw CloudFailure(code: .unknownItem) }
            guard kept?.systemFields == record.systemFields else {
                throw CloudFailure(code: .serverRecordChanged, serverRecord: kept)
            }
            state.tags += 1
            var saved = record
            saved.systemFields = Data("tag \(state.tags)".utf8)
            state.records[account, default: [:]][record.name] = saved
            return saved
        }
    }

    func deleteRecord(named name: String) async throws {
        try perform(.delete) { state, account in
            guard state.records[account]?.removeValue(forKey: name) != nil else {
                throw CloudFailure(code: .unknownItem)
            }
        }
    }

    var accountChanges: AsyncStream<Void>? {
        state.withLock { $0.questions += 1 }
        return changes
    }
}
