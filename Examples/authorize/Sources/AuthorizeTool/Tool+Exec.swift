// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import Synchronization

extension Tool {
    /// `authorize exec`: runs a command with the token in an environment variable, and says when the token expires.
    ///
    /// - Returns: the exit status of the command; as in a shell 127 if it is not found, and 126 if it cannot be started.
    ///   If a signal ends the command, the same signal ends this program.
    public func exec(
        _ url: String, _ command: [String], variable: String, lasting duration: Duration = .zero
    ) async throws -> Int32 {
        guard !variable.isEmpty, !variable.contains("="), !variable.contains("\0") else {
            throw ToolFailure(.usage, "'\(variable)' cannot name an environment variable")
        }
        let token = try await run(url) { try await $0.auth.validToken(lasting: duration) }
        noteIfBound(token)
        let expiry = Task {
            guard let end = token.knownExpiry else { return }
            try await SystemClock.system.sleep(for: .seconds(max(0, end.timeIntervalSince(SystemClock.system.now))))
            Output.note("The token in \(variable) has expired; the command still has it.")
        }
        defer { expiry.cancel() }
        let status: Int32
        do {
            status = try await Child().run(command, adding: (variable, token.accessToken))
        } catch {
            Output.note("error: \(command.first ?? "") cannot be started: \(String(cString: strerror(error.number)))")
            return [ENOENT, ENOTDIR].contains(error.number) ? 127 : 126
        }
        if status & 0x7F != 0 { EndingSignals.endProgram(by: status & 0x7F) }
        return (status >> 8) & 0xFF
    }
}

/// A program that was started, in this process group and at this terminal.
final class Child: Sendable {
    struct Failure: Error { let number: Int32 }

    private struct State {
        /// Gone once the process has ended: its number may be another process's then.
        var id: pid_t?
        /// What came before the process was there.
        var early: [Int32] = []
    }

    private let state = Mutex(State())

    /// Runs a program to its end. It gets the signals that this program gets, from now on.
    ///
    /// What a terminal sends goes to the whole process group, so it is not sent twice.
    ///
    /// - Returns: the status as `waitpid` has it.
    func run(_ arguments: [String], adding variable: (name: String, value: String)) async throws(Failure) -> Int32 {
        var sources: [any DispatchSourceSignal] = []
        for signal in Self.signals { sources.append(await EndingSignals.source(of: signal) { [self] in pass(signal) }) }
        defer { for source in sources { source.cancel() } }
        signal(SIGCHLD, SIG_DFL)  // Where it is ignored, the status of a process is not kept.
        let number = try Self.start(arguments, adding: variable)
        Self.forbidCoreDump()
        state.withLock {
            $0.id = number
            for signal in $0.early { kill(number, signal) }
        }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var information = siginfo_t()
                while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
                state.withLock { $0.id = nil }
                var status: Int32 = 0
                while waitpid(number, &status, 0) < 0, errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
    }

    /// This program ends by the signal of its command, and a core dump of it would contain the refresh token.
    ///
    /// Linux ignores the limit for a dump to another program (`|` in `core_pattern`), unless it is one byte. Where that
    /// cannot be set, such a dump has no memory (core(5)).
    private static func forbidCoreDump() {
        #if os(Linux)
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        try? FileHandle(forWritingAtPath: "/proc/self/coredump_filter")?.write(contentsOf: Data("0".utf8))
        #else
        let core = RLIMIT_CORE
        #endif
        var least = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(core, &least)
    }

    /// A command does not ignore a signal that is watched here. So one that is ignored, as with `nohup`, is not watched.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]
        .filter { !EndingSignals.ignored.contains($0) }

    private func pass(_ signal: Int32) {
        let isOfTerminal = [SIGINT, SIGQUIT].contains(signal) && (0...2).contains { tcgetpgrp($0) == getpgrp() }
        state.withLock {
            guard let id = $0.id else { return $0.early.append(signal) }
            if !isOfTerminal { kill(id, signal) }
        }
    }

    /// Starts a program of the search path, without a shell.
    ///
    /// - Parameters:
    ///   - added: a variable besides those of this program.
    ///   - isApart: whether it gets no open files, and no signals of the terminal, such as Ctrl-C.
    @discardableResult
    static func start(
        _ arguments: [String], adding added: (name: String, value: String)? = nil, isApart: Bool = false
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
        var (attributes, actions): (posix_spawnattr_t?, posix_spawn_file_actions_t?)
        #else
        var (attributes, actions) = (posix_spawnattr_t(), posix_spawn_file_actions_t())
        #endif
        posix_spawnattr_init(&attributes)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        // Dispatch blocks the signals that this program watches (on Darwin it ignores them), and SIGPIPE is ignored.
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in signals + [SIGPIPE] where !EndingSignals.ignored.contains(signal) { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if isApart {
            flags |= POSIX_SPAWN_SETPGROUP
            for file in 0...2 { posix_spawn_file_actions_addopen(&actions, Int32(file), "/dev/null", O_RDWR, 0) }
            // NIO's sockets are inherited. A browser that begins so would keep the port of the callback.
            #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            for file in files.compactMap({ Int32($0) }) where file > 2 {
                posix_spawn_file_actions_addclose(&actions, file)
            }
            #endif
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = given(arguments).map { cString($0) } + [nil]
        let variables = environment(adding: added).map { cString($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        guard let name = words[0] else { throw Failure(number: ENOENT) }
        var number = pid_t()
        let failure = posix_spawnp(&number, name, &actions, &attributes, words, variables)
        guard failure == 0 else { throw Failure(number: failure) }
        return number
    }

    // MARK: - Texts that need not be UTF-8

    /// The arguments as this program's command line ends with them. `String` has replaced what is not UTF-8.
    private static func given(_ arguments: [String]) -> [[UInt8]] {
        let last = kept(in: "cmdline").map { Array($0.suffix(arguments.count)) }
        if let last, last.map({ String(decoding: $0, as: UTF8.self) }) == arguments { return last }
        return arguments.map { Array($0.utf8) }
    }

    private static func environment(adding added: (name: String, value: String)?) -> [[UInt8]] {
        let own = kept(in: "environ") ?? ProcessInfo.processInfo.environment.map { Array("\($0.key)=\($0.value)".utf8) }
        guard let added else { return own }
        return own.filter { !$0.starts(with: "\(added.name)=".utf8) } + [Array("\(added.name)=\(added.value)".utf8)]
    }

    /// The texts that Linux keeps of this program; `nil` elsewhere.
    private static func kept(in file: String) -> [[UInt8]]? {
        guard let all = FileManager.default.contents(atPath: "/proc/self/\(file)") else { return nil }
        let texts: [Data] = all.split(separator: 0, omittingEmptySubsequences: false)
        return texts.dropLast().map { Array($0) }
    }

    /// A text as C has it, which the caller frees.
    private static func cString(_ text: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        strdup(text.map { CChar(truncatingIfNeeded: $0) } + [0])
    }
}
