// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

/// The system calls for app groups: `SystemAppGroups`, or a simulation in tests.
protocol AppGroups: Sendable {
    /// `FileManager.containerURL(forSecurityApplicationGroupIdentifier:)`: the path, or `nil` outside the group.
    ///
    /// A Mac returns a path outside the group, too.
    func container(of group: String) -> String?

    /// The app groups in the entitlements of this program, or `nil` if the system does not tell them.
    var entitledGroups: [String]? { get }

    /// Whether programs may keep files; see ``FileLayer``.
    var keepsFiles: Bool { get }

    /// `URLResourceValues.isExcludedFromBackup`
    func excludeFromBackup(_ folder: String)
}

/// An item in the container of an app group, shared by the app and its extensions.
///
/// The container is looked up on first use, so that the initializer need not throw.
final class AppGroupItems: SharedByteStore, RedactedDescription {
    private let client: String
    private let account: String
    private let group: String
    private let groups: any AppGroups
    private let activity: ExclusiveActivity
    private let patience: Double
    private let opened = Lock<RestrictedFileItems?>(nil)
    private let isExcluded = Lock(false)

    /// - Parameter patience: how long the end of the system's time waits for a change, in seconds.
    init(
        group: String, client: String, account: String, groups: any AppGroups, activity: ExclusiveActivity,
        patience: Double = 1
    ) {
        (self.group, self.client, self.account) = (group, client, account)
        (self.groups, self.activity, self.patience) = (groups, activity, patience)
    }

    func load() async throws -> Data? { try await items().load() }

    func save(_ item: Data) async throws { _ = try await save(item, ending: nil) { _, _ in true } }

    func save(
        _ item: Data, ending intent: Data?, if condition: @escaping @Sendable (Data?, TokenAbsence) throws -> Bool
    ) async throws -> SaveResult<Data> {
        let result = try await changing { try await $0.save(item, ending: intent, if: condition) }
        // A backup that is restored on another device would have an envelope whose key stays on this one.
        if !isExcluded.exchange(true), let folder { groups.excludeFromBackup(folder) }
        return result
    }

    func clear() async throws { try await changing { try await $0.clear() } }
    func clear(_ item: Data) async throws { try await changing { try await $0.clear(item) } }
    func setAside(_ item: Data) async throws -> String? { try await changing { try await $0.setAside(item) } }
    func loadWithIntent() async throws -> ItemWithIntent { try await items().loadWithIntent() }
    func saveIntent(_ intent: Data?) async throws { try await changing { try await $0.saveIntent(intent) } }
    func lock(within limit: Duration) async throws -> TokenStoreLock { try await items().lock(within: limit) }
    var changes: AsyncStream<Void>? { try? items().changes }

    // MARK: -

    private var folder: String? {
        groups.container(of: group).map {
            "\(TokenFolder.at($0).path)/Library/Application Support/swift-request-authorization"
        }
    }

    private func items() throws -> RestrictedFileItems {
        if let items = opened.withLock({ $0 }) { return items }
        guard groups.keepsFiles else { throw TokenStoreError.noFilesHere }
        guard groups.entitledGroups?.contains(group) != false, let folder else {
            throw TokenStoreError(
                .unsuitable, "this program is not in the app group \(group); add it to the entitlements of each target")
        }
        return opened.withLock { opened in
            if let opened { return opened }
            let items = RestrictedFileItems(client: client, account: account, folder: .at(folder), activity: activity)
            opened = items
            return items
        }
    }

    /// Runs a change within an activity, because the file is locked while it is replaced.
    ///
    /// When its time is over, the system calls the closure, and suspends the process once that has returned. So the closure
    /// waits for the change. A change that has not begun or still waits for another process then ends.
    private func changing<Result: Sendable>(_ body: (RestrictedFileItems) async throws -> Result) async throws -> Result
    {
        let items = try items()
        let (isOver, isTimeOver) = (DispatchSemaphore(value: 0), Lock(false))
        let end = try await activity.begin { [patience] in
            if isOver.wait(timeout: .now() + patience) == .success { return }
            isTimeOver.withLock { $0 = true }
            // For a try that has begun.
            _ = isOver.wait(timeout: .now() + patience / 10)
        }
        defer {
            isOver.signal()
            end()
        }
        return try await RestrictedFileItems.$isTimeOver.withValue(isTimeOver) { try await body(items) }
    }
}
