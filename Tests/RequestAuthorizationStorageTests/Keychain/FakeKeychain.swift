// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

@testable import RequestAuthorizationStorage

/// A Keychain in memory that answers as Apple's reference says, or as a test says.
final class FakeKeychain: KeychainCalls {
    enum Call: Hashable, Sendable { case add, update, copyMatching, delete }

    /// The attributes that identify an item; accessibility is not among them.
    private struct Identity: Hashable {
        let service, account: String
        let accessGroup: String?
        let isSynchronizable: Bool
        let keychain: KeychainKind

        init(_ query: KeychainQuery) {
            (service, account, accessGroup) = (query.service, query.account, query.accessGroup)
            (isSynchronizable, keychain) = (query.isSynchronizable, query.keychain)
        }
    }

    private struct State {
        var items: [Identity: (query: KeychainQuery, value: Data)] = [:]
        var calls: [Call] = []
        var scripted: [Call: [KeychainStatus]] = [:]
        var lasting: [Call: KeychainStatus] = [:]
        var isLocked = false
    }

    private let state = Lock(State())
    private let (saved, continuation) = AsyncStream.makeStream(of: Data.self)

    /// The calls, in order.
    var calls: [Call] { state.withLock(\.calls) }
    /// The items.
    var items: [KeychainQuery: Data] {
        state.withLock { Dictionary(uniqueKeysWithValues: $0.items.values.map { ($0.query, $0.value) }) }
    }
    /// Each value that was saved.
    var saves: AsyncStream<Data> { saved }

    /// The device has not been unlocked since it started.
    var isLocked: Bool {
        get { state.withLock(\.isLocked) }
        set { state.withLock { $0.isLocked = newValue } }
    }

    /// The results of the next calls of a kind, instead of their own.
    func answer(_ call: Call, _ statuses: KeychainStatus...) {
        state.withLock { $0.scripted[call, default: []] += statuses }
    }

    /// The result of all calls of a kind from now on.
    func answer(all call: Call, _ status: KeychainStatus) { state.withLock { $0.lasting[call] = status } }

    func forgetCalls() { state.withLock { $0.calls = [] } }

    func add(_ item: KeychainQuery, value: Data) -> KeychainStatus {
        perform(.add) { state in
            guard state.items[Identity(item)] == nil else { return .duplicateItem }
            state.items[Identity(item)] = (item, value)
            self.continuation.yield(value)
            return .success
        }
    }

    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus {
        perform(.update) { state in
            guard state.items[Identity(item)] != nil else { return .itemNotFound }
            state.items[Identity(item)] = (item, value)
            self.continuation.yield(value)
            return .success
        }
    }

    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?) {
        var value: Data?
        let status = perform(.copyMatching) { state in
            value = state.items[Identity(item)]?.value
            return value == nil ? .itemNotFound : .success
        }
        return (status, value)
    }

    func delete(_ item: KeychainQuery) -> KeychainStatus {
        perform(.delete) { $0.items.removeValue(forKey: Identity(item)) == nil ? .itemNotFound : .success }
    }

    private func perform(_ call: Call, _ body: (inout State) -> KeychainStatus) -> KeychainStatus {
        state.withLock { state in
            state.calls.append(call)
            if state.scripted[call]?.isEmpty == false, let status = state.scripted[call]?.removeFirst() {
                return status
            }
            if let status = state.lasting[call] { return status }
            return state.isLocked ? .interactionNotAllowed : body(&state)
        }
    }
}
