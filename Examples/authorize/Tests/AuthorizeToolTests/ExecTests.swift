// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct ExecTests {
    @Test func `the command gets the token in its environment, and nobody else sees it`() async throws {
        try await User.with { user in
            try await user.login()
            let token = try #require(try await user.storedToken()).accessToken
            let running = try user.start([
                "exec", user.url, "--env", "TOKEN", "--", "/bin/sh", "-c", "echo $TOKEN; echo $$; read x; exit 7",
            ])
            #expect(try await running.line() == token)
            let child = try #require(Int32(try await running.line()))
            let holders = Self.processes(with: token)
            #expect(holders.environment == [child] && holders.arguments.isEmpty)
            try running.say("\n")
            #expect(try await running.result().status == 7)
        }
    }

    @Test func `the environment and the arguments of the command need not be UTF-8`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                #"""
                export NAME=$'\351' TOKEN=old
                authorize exec \#(server.url) --env TOKEN -- \
                    sh -c 'printf "%s %s %s %s" "$NAME" "$TOKEN" "$1" $# | od -An -tx1' sh $'\350' ''
                """#
            ).result()
            // "t1" and "2" are 74 31 and 32.
            #expect(result.output == " e9 20 74 31 20 e8 20 32\n", "\(result)")
        }
    }

    @Test func `signals are passed on, and the end by a signal is passed back`() async throws {
        try await User.with { user in
            try await user.login()
            let running = try user.start([
                "exec", user.url, "--env", "TOKEN", "--", "/bin/sh", "-c",
                // A signal ends `read`, so it is called once more for each of them, and the shell ends with its input.
                "trap 'echo usr1' USR1; trap 'echo int' INT; echo ready; for i in 1 2 3; do read x && kill -TERM $$; done",
            ])
            #expect(try await running.line() == "ready")
            running.send(SIGUSR1)
            #expect(try await running.line() == "usr1")
            running.send(SIGINT)
            #expect(try await running.line() == "int")
            try running.say("\n")
            #expect(try await running.result().status == -SIGTERM)
        }
    }

    @Test(arguments: ["HUP", "INT", "QUIT", "PIPE"])
    func `the command ignores what the tool was started to ignore, as under nohup`(signal: String) async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let result = try await server.shell(
                """
                trap '' \(signal)
                exec authorize exec \(server.url) --env TOKEN -- sh -c 'kill -\(signal) $$; echo alive'
                """
            ).result()
            #expect(result.status == 0 && result.output == "alive\n", "\(result)")
        }
    }

    @Test func `the exit status is passed on also where the status of processes is not kept`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let ignoring = """
                import os, signal, sys
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
                os.execvp(sys.argv[1], sys.argv[1:])
                """
            let result = try await server.shell(
                "python3 -c '\(ignoring)' authorize exec \(server.url) --env TOKEN -- sh -c 'exit 7'"
            ).result()
            #expect(result.status == 7, "\(result)")
        }
    }

    @Test func `the end by a signal of the command leaves no core dump with tokens`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            // The shell says whether there is one. Where none can be made, there is none.
            let result = try await server.shell(
                """
                cd; ulimit -c unlimited
                authorize exec \(server.url) --env TOKEN -- sh -c 'ulimit -c 0; kill -SEGV $$'; echo $?
                """
            ).result()
            #expect(result.output == "\(128 + SIGSEGV)\n" && !result.errors.contains("core dumped"), "\(result)")
        }
    }

    #if os(Linux)
    @Test func `no other program gets a core dump of the tool either`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            // The command looks when it gets a signal. The second `read` waits for the end of the input.
            let running = try server.shell(
                """
                ulimit -H -c; ulimit -c unlimited
                exec authorize exec \(server.url) --env TOKEN -- \
                    sh -c 'trap "grep core /proc/$PPID/limits" USR1; echo ready; read x; read x'
                """)
            // A limit of one byte cannot be set where none is allowed.
            let limit: Substring = try await running.line() == "0" ? "0" : "1"
            #expect(try await running.line() == "ready")
            running.send(SIGUSR1)
            let line = try await running.line()
            #expect(line.split(separator: " ").dropFirst(4).first == limit, "\(line)")
            _ = try await running.result()
        }
    }

    @Test func `a core dump that cannot be forbidden has none of the memory of the tool`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let running = try server.shell(
                """
                ulimit -c 0
                exec authorize exec \(server.url) --env TOKEN -- \
                    sh -c 'trap "cat /proc/$PPID/coredump_filter" USR1; echo ready; read x; read x'
                """)
            #expect(try await running.line() == "ready")
            running.send(SIGUSR1)
            #expect(try await running.line() == "00000000")
            _ = try await running.result()
        }
    }
    #endif

    @Test func `no command is 127, one that cannot be started 126, and SIGPIPE ends one as usual`() async throws {
        try await User.with { user in
            try await user.login()
            let none = try await user.run("exec", user.url, "--env", "TOKEN", "--", "/no/such")
            #expect(none.status == 127 && none.errors.contains("/no/such"))
            // The system names the last place of the search path, which need not be a folder.
            let missing = try await user.shell("PATH=$PATH:/dev/null authorize exec \(user.url) --env TOKEN -- no-such")
            #expect(missing.status == 127, "\(missing)")
            let folder = try await user.run("exec", user.url, "--env", "TOKEN", "--", user.home)
            #expect(folder.status == 126 && folder.errors.contains(user.home), "\(folder)")
            let status = try await user.shell(
                "env --default-signal=PIPE authorize exec \(user.url) --env TOKEN -- "
                    + "sh -c 'while echo x; do :; done' | head -1; echo ${PIPESTATUS[0]}")
            #expect(status.output == "x\n\(128 + SIGPIPE)\n", "\(status.errors)")
        }
    }

    @Test func `a message that nobody reads does not end the tool`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            // The processes of a test begin with most signals blocked.
            let result = try await server.shell(
                """
                exec 3> >(true); wait $!
                env --default-signal authorize exec \(server.url) --env TOKEN -- /no/such 2>&3; echo $?
                """
            ).result()
            #expect(result.output == "127\n", "\(result)")
        }
    }

    @Test func `Ctrl-C comes once, also if standard error is no terminal`() async throws {
        try await Scripted.with(isGuarded: true) { server in
            try await server.login(server.url)
            let counter = """
                import os, signal, sys, time
                signal.signal(signal.SIGINT, lambda *_: os.write(1, b"interrupted\\n"))
                print(os.getppid(), flush=True)
                sys.stdin.readline()
                time.sleep(1)
                """
            let terminal = try server.shell(
                """
                exec python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' bash -c \
                    'stty -echo; exec authorize exec \(server.url) --env TOKEN -- python3 -c "$0" 2>/dev/null' '\(counter)'
                """)
            let tool = try #require(Int32(try await terminal.line().dropLast()))
            // Two signals at the same moment would count as one.
            kill(tool, SIGSTOP)
            try terminal.say("\u{3}")
            #expect(try await terminal.line() == "interrupted\r")
            kill(tool, SIGCONT)
            try terminal.say("\n")
            #expect(try await terminal.result().output.components(separatedBy: "interrupted").count == 2)
        }
    }

    @Test func `it says when the token expires while the command runs`() async throws {
        try await User.with(server: ["ACCESS_SECONDS": "6"]) { user in
            try await user.login()
            let running = try user.start(["exec", user.url, "--env", "TOKEN", "--", "/bin/cat"])
            _ = try await running.error(with: "The token in TOKEN has expired")
            #expect(try await running.result().status == 0)
        }
    }

    /// The processes whose arguments or environment contain a text.
    private static func processes(with text: String) -> (arguments: [Int32], environment: [Int32]) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        func those(_ file: String) -> [Int32] {
            names.compactMap { Int32($0) }.filter { id in
                FileManager.default.contents(atPath: "/proc/\(id)/\(file)")?.range(of: Data(text.utf8)) != nil
            }
        }
        return (those("cmdline"), those("environ"))
    }
}
