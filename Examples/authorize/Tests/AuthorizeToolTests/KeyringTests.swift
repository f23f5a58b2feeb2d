// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if os(Linux)
import Foundation
import TestServers
import Testing

/// The key in the keyring of a desktop. Each test has its own bus and keyring.
@Suite(.enabled(if: FastMCP.isThere, Comment(rawValue: FastMCP.how)), .timeLimit(.minutes(5)))
struct KeyringTests {
    #if SecretService
    @Test func `programs that make the key at the same time make one, and nobody reads a session without it`()
        async throws
    {
        try await User.with { user in
            let result = try await user.desktop(
                """
                for account in 1 2 3 4 5 6; do
                    authorize login \(user.url) --account $account --key-from keyring & commands+=($!)
                done
                for command in "${commands[@]}"; do wait "$command"; done
                for account in 1 2 3 4 5 6; do authorize header \(user.url) --account $account --key-from keyring; done
                """
            ).result()
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("Authorization: Bearer ") }
            #expect(Set(lines).count == 6, "\(result.output)")
            // The keyring has ended with its desktop.
            for options in [[], ["--key-from", "keyring"]] {
                let without = try await user.start(["header", user.url, "--account", "1"] + options).result()
                #expect(without.status == 74 && without.output == "", "\(without)")
            }
        }
    }
    #else
    @Test func `a program without the keyring says how to build it`() async throws {
        try await User.with { user in
            let result = try await user.run("login", user.url, "--key-from", "keyring")
            #expect(result.status == 78 && result.errors.contains("--traits SecretService"))
        }
    }
    #endif
}

#if SecretService
extension User {
    /// Runs lines of a shell in a session with a keyring of its own, in which `authorize` is this tool.
    fileprivate func desktop(_ lines: String) throws -> Program {
        let session = """
            set -euo pipefail
            printf password | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &
            keyring=$!
            trap 'kill $keyring' EXIT
            gdbus wait --session --timeout 100 org.freedesktop.secrets
            \(lines)
            """
        var variables = try browser()
        variables["PATH"]? += ":\(URL(filePath: Program.authorize).deletingLastPathComponent().path)"
        let folders = ["XDG_DATA_HOME": "\(home)/data", "XDG_RUNTIME_DIR": "\(home)/run"]
        for folder in folders.values {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // The processes of a test begin with most signals blocked, and would then not end.
        return try Program(
            "/usr/bin/env", ["--default-signal", "dbus-run-session", "--", "/bin/bash", "-c", session],
            environment: environment.merging(folders) { $1 }.merging(variables) { $1 })
    }
}
#endif
#endif
