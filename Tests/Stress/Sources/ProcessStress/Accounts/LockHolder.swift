// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
import RequestAuthorization
import RequestAuthorizationStorage

/// A second process that holds the locks of many accounts.
public final class LockHolder: Sendable {
    private let pid: pid_t
    private let channel: Channel

    init(_ folder: AccountsFolder, accounts: Int) throws {
        channel = try Channel()
        pid = try ChildProcess.start(["hold-locks", folder.url.path, "\(accounts)"], channel: channel)
        guard Sockets.read(channel.near.number) != nil else { throw SystemError("hold the locks", code: ESRCH) }
    }

    /// Releases all locks.
    func finish() {
        channel.finish()
        _ = ChildProcess.wait(for: pid)
    }

    /// The second process: takes the locks, reports that, and holds them until standard input ends.
    public static func hold(_ accounts: Int, in folder: URL) async throws {
        #if os(Linux)
        let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let openFiles = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(openFiles, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(openFiles, &limit)
        var locks: [TokenStoreLock] = []
        for account in 0..<accounts {
            locks.append(try await AccountsFolder(url: folder).store(account).lock(within: .seconds(60)))
        }
        print("ready")
        fflush(nil)
        while readLine() != nil {}
        for lock in locks { await lock.unlock() }
    }
}
