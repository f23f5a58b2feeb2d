// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

@testable import RequestAuthorizationStorage

/// A Keychain in memory that answers as Apple's reference says, or as a test says.
///
/// Without an access group, `add` uses the first group of the program, and all other calls use all its groups
/// (https://developer.apple.com/documentation/security/ksecattraccessgroup). Of several items that match, the last one is
/// found. The file-based keychain has no groups.
final class FakeKeychain: KeychainCalls {
    enum Call: Hashable, Sendable { case add, update, copyMatching, accessGroups, delete }

    /// The attributes that identify an item; accessibility is not among them.
    private struct Identity: Hashable {
        let service, account: String
        /// `nil` in the file-based keychain.
        let accessGroup: String?
        let isSynchronizable: Bool
        let keychain: KeychainKind

        init(_ query: KeychainQuery, in group: String?) {
            (service, account, keychain) = (query.service, query.account, query.keychain)
            accessGroup = query.keychain == .file ? nil : group
            isSynchronizable = query.keychain == .dataProtection && query.isSynchronizable
        }
    }

    private struct State {
        var items: [Identity: (query: KeychainQuery, value: Data)] = [:]
        var calls: [Call] = []
        var scripted: [Call: [KeychainStatus]] = [:]
        var lasting: [Call: KeychainStatus] = [:]
        var isLocked = false
    }

    /// The access groups of the program, in Apple's order.
    let groups: [String]
    let program: String?
    let hasFileKeychain: Bool
    let firstGroup = Lock<String?>(nil)
    private let state: Lock<State>
    private let (saved, continuation) = AsyncStream.makeStream(of: Data.self)

    /// - Parameter program: the bundle identifier of the program, with which its own group ends.
    init(
        groups: [String] = ["TEAM.app", "TEAM.shared", "group.app", "group"], program: String? = "app",
        hasFileKeychain: Bool = true
    ) {
        (self.groups, self.program, self.hasFileKeychain) = (groups, program, hasFileKeychain)
        state = Lock(State())
    }

    /// The same Keychain for another program, or for a later version or launch of this one.
    init(of other: FakeKeychain, groups: [String]? = nil, program: String? = nil) {
        (self.groups, self.program) = (groups ?? other.groups, program ?? other.program)
        (hasFileKeychain, state) = (other.hasFileKeychain, other.state)
    }

    /// The calls, in order.
    var calls: [Call] { state.withLock(\.calls) }
    /// The items, with their groups.
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

    /// The result of all calls of a kind from now on; `nil` for their own.
    func answer(all call: Call, _ status: KeychainStatus?) { state.withLock { $0.lasting[call] = status } }

    func forgetCalls() { state.withLock { $0.calls = [] } }

    func add(_ item: KeychainQuery, value: Data) -> (status: KeychainStatus, accessGroup: String?) {
        let group = item.keychain == .file ? nil : item.accessGroup ?? groups.first
        let status = perform(.add, item) { state in
            // An add needs a group, also if the program has none.
            if item.keychain == .dataProtection, group == nil { return .missingEntitlement }
            let identity = Identity(item, in: group)
            guard state.items[identity] == nil else { return .duplicateItem }
            state.items[identity] = (Self.query(item, in: group), value)
            self.continuation.yield(value)
            return .success
        }
        return (status, status == .success ? group : nil)
    }

    func update(_ item: KeychainQuery, value: Data) -> KeychainStatus {
        perform(.update, item) { state in
            let found = self.matches(item).filter { state.items[$0] != nil }
            for identity in found {
                state.items[identity] = (Self.query(item, in: identity.accessGroup), value)
                self.continuation.yield(value)
            }
            return found.isEmpty ? .itemNotFound : .success
        }
    }

    func copyMatching(_ item: KeychainQuery) -> (status: KeychainStatus, value: Data?) {
        var value: Data?
        let status = perform(.copyMatching, item) { state in
            value = self.matches(item).compactMap { state.items[$0]?.value }.last
            return value == nil ? .itemNotFound : .success
        }
        return (status, value)
    }

    func accessGroups(of item: KeychainQuery) -> (status: KeychainStatus, groups: [String]) {
        var groups: [String] = []
        let status = perform(.accessGroups, item) { state in
            groups = self.matches(item).filter { state.items[$0] != nil }.compactMap(\.accessGroup)
            return groups.isEmpty ? .itemNotFound : .success
        }
        return (status, groups)
    }

    func delete(_ item: KeychainQuery) -> KeychainStatus {
        perform(.delete, item) { state in
            let found = self.matches(item).filter { state.items.removeValue(forKey: $0) != nil }
            return found.isEmpty ? .itemNotFound : .success
        }
    }

    // MARK: -

    /// The items that a search may find.
    private func matches(_ item: KeychainQuery) -> [Identity] {
        if item.keychain == .file { return [Identity(item, in: nil)] }
        return (item.accessGroup.map { [$0] } ?? groups).map { Identity(item, in: $0) }
    }

    private static func query(_ item: KeychainQuery, in group: String?) -> KeychainQuery {
        var query = item
        query.accessGroup = group
        return query
    }

    private func perform(
        _ call: Call, _ item: KeychainQuery, _ body: (inout State) -> KeychainStatus
    ) -> KeychainStatus {
        state.withLock { state in
            state.calls.append(call)
            if state.scripted[call]?.isEmpty == false, let status = state.scripted[call]?.removeFirst() {
                return status
            }
            if let status = state.lasting[call] { return status }
            if state.isLocked { return .interactionNotAllowed }
            if item.keychain == .dataProtection, let group = item.accessGroup, !groups.contains(group) {
                return .missingEntitlement
            }
            return body(&state)
        }
    }
}
