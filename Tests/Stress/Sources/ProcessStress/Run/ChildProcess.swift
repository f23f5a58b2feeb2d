// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Starts this executable again as a child process.
enum ChildProcess {
    /// - Parameter channel: its far side becomes the child's standard input and output.
    /// - Returns: the process id.
    static func start(_ arguments: [String], channel: Channel) throws -> pid_t {
        guard let executable = Bundle.main.executablePath else {
            throw SystemError("find this executable", code: ENOENT)
        }
        #if os(Linux)
        var actions = posix_spawn_file_actions_t()
        #else
        var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, channel.far.number, 0)
        posix_spawn_file_actions_adddup2(&actions, channel.far.number, 1)
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, executable, &actions, nil, &words, environ)
        guard code == 0 else { throw SystemError("start \(executable)", code: code) }
        // Only the child has the far side now, so our side shows its death.
        channel.far.close()
        return pid
    }

    /// Blocks until a child has ended.
    ///
    /// - Returns: the signal that ended it, or 0.
    static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F
    }

    /// - Returns: the signal that ended a child, or 0; `nil` if the child is alive.
    static func signalOfEnd(of pid: pid_t) -> Int32? {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) == pid ? status & 0x7F : nil
    }
}
