// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
public import Foundation
import RequestAuthorization

/// Runs many accounts of one process over one folder.
public struct AccountsRun: Sendable {
    private typealias Provider = RefreshableTokenAuthorization<StressToken>

    /// The number of unlocked accounts to load while others are locked.
    private static let unlocked = 21

    private let accounts: Int
    private let lockedElsewhere: Int
    private let folder: AccountsFolder

    /// - Parameters:
    ///   - accounts: the number of accounts.
    ///   - lockedElsewhere: the number of accounts that a second process holds locked.
    ///   - folder: the folder for the tokens; it must not exist yet.
    public init(accounts: Int, lockedElsewhere: Int, in folder: URL) {
        (self.accounts, self.lockedElsewhere) = (accounts, lockedElsewhere)
        self.folder = AccountsFolder(url: folder)
    }

    public func run(_ progress: (String) -> Void) async throws -> AccountsReport {
        var report = AccountsReport()
        (report.accounts, report.lockedElsewhere) = (accounts, lockedElsewhere)
        progress("writing the tokens")
        try await folder.fill(accounts + Self.unlocked)
        progress("loading")
        let start = ContinuousClock.now
        let providers = (0..<accounts).map(provider)
        try await Self.load(providers)
        report.loadSeconds = Self.seconds(since: start)
        report.note()
        progress("idle")
        report.idleCorePercent = try await Self.idleCorePercent()
        if lockedElsewhere > 0 { try await lock(providers[..<lockedElsewhere], &report, progress) }
        report.judge()
        withExtendedLifetime(providers) {}
        return report
    }

    // MARK: -

    private func provider(_ account: Int) -> Provider {
        Provider(service: LocalTokenService(), store: folder.store(account))
    }

    private static func load(_ providers: [Provider]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for provider in providers { group.addTask { _ = try await provider.validToken() } }
            try await group.waitForAll()
        }
    }

    private static func idleCorePercent() async throws -> Double {
        // Lets work that loading has started come to an end.
        try await Task.sleep(for: .seconds(1))
        let (start, before) = (ContinuousClock.now, ProcessFigures.processorSeconds)
        try await Task.sleep(for: .seconds(5))
        return 100 * (ProcessFigures.processorSeconds - before) / seconds(since: start)
    }

    /// Refreshes accounts that another process holds locked, and loads others at the same time.
    private func lock(
        _ providers: ArraySlice<Provider>, _ report: inout AccountsReport, _ progress: (String) -> Void
    ) async throws {
        progress("locking")
        let holder = try LockHolder(folder, accounts: providers.count)
        let refreshes = providers.map { provider in Task { try await provider.refreshNow() } }
        // Long enough for all refreshes to wait, some of them for long.
        try await Task.sleep(for: .seconds(2))
        let hasRun = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { hasRun.signal() }
        var times: [Double] = []
        for account in accounts..<accounts + Self.unlocked {
            let start = ContinuousClock.now
            _ = try await provider(account).validToken()
            times.append(Self.seconds(since: start))
        }
        report.unlockedLoadSeconds = times.sorted()[times.count / 2]
        report.note()
        if hasRun.wait(timeout: .now()) == .timedOut { report.problems.append("the app's own queues do not run") }
        holder.finish()
        progress("refreshing the locked accounts")
        for refresh in refreshes {
            do {
                _ = try await refresh.value
            } catch {
                report.problems.append("\(error)")
            }
        }
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .seconds(1)
    }
}

extension AccountsReport {
    fileprivate mutating func note() {
        descriptors = max(descriptors, ProcessFigures.descriptors)
        inotifyInstances = max(inotifyInstances, ProcessFigures.inotifyInstances)
        threads = max(threads, ProcessFigures.threads)
    }
}

/// Issues tokens without a server.
private struct LocalTokenService: RefreshableTokenService {
    func refresh(_ token: StressToken) async throws -> StressToken {
        StressToken(accessToken: "next", refreshToken: "next", expiresAt: .distantFuture)
    }
}
