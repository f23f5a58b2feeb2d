// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Glibc)
import Foundation

/// An MCP server that guards itself, made of FastMCP. `Tests/Servers/fastmcp_server.py` says what it does.
package final class FastMCP: Sendable {
    private let server: PythonServer

    /// The origin of the resource and of its authorization server.
    package var base: String { server.base }

    /// The URL of the MCP endpoint.
    package var resource: String { base + "/mcp" }

    /// Starts a server on a free port.
    ///
    /// - Parameter environment: more variables for the server.
    package init(environment: [String: String] = [:]) async throws {
        server = try await PythonServer(
            script: "fastmcp_server.py", python: Self.python, environment: environment)
    }

    /// Ends the server and removes its files.
    package func end() { server.end() }

    // MARK: Control

    /// How often clients did something, since the start.
    package struct Counts: Decodable, Equatable, Sendable {
        package var registrations: Int
        package var authorizations: Int
        package var codes: Int
        package var refreshes: Int
        package var revocations: Int

        package init(
            registrations: Int = 0, authorizations: Int = 0, codes: Int = 0, refreshes: Int = 0, revocations: Int = 0
        ) {
            (self.registrations, self.authorizations, self.codes) = (registrations, authorizations, codes)
            (self.refreshes, self.revocations) = (refreshes, revocations)
        }
    }

    package func counts() async throws -> Counts { try await control("counts", "GET") }
    /// Ends all access tokens.
    package func expireTokens() async throws { _ = try await control("expire") }
    /// Ends all tokens.
    package func revokeTokens() async throws { _ = try await control("revoke") }
    /// Forgets all clients.
    package func forgetClients() async throws { _ = try await control("forget") }

    private func control(_ name: String, _ method: String = "POST") async throws -> Counts {
        try await JSONDecoder().decode(Counts.self, from: server.control(name, method))
    }

    // MARK: Installation

    /// The package's folder, also where this file is reached by a symbolic link.
    private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .appending(path: "../../../..").standardizedFileURL

    /// Of the environment that `.ci/install-tools` makes.
    package static let python = root.appending(path: ".build/python/bin/python").path

    /// The path of a script of `Tests/Servers`.
    package static func script(_ name: String) -> String { root.appending(path: "Tests/Servers/\(name)").path }

    /// Whether it is installed. Where it must be (`REQUIRE_FASTMCP=1`, as in CI) its absence is a failure, not a skip.
    package static let isThere =
        ProcessInfo.processInfo.environment["REQUIRE_FASTMCP"] == "1"
        || FileManager.default.isExecutableFile(atPath: python)

    package static let how = "needs FastMCP in .build/python: .ci/install-tools"
}
#endif
