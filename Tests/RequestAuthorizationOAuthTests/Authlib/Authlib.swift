// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import TestServers
import Testing

/// An authorization server made of Authlib, behind a fault injector. `Tests/Servers/authlib_server.py` has its clients
/// and users.
final class Authlib: Sendable {
    /// The server of the running suite.
    @TaskLocal static var current: Authlib?

    private let server: PythonServer

    var base: String { server.base }

    /// Starts a server on a free port.
    init() async throws { server = try await PythonServer(script: "authlib_server.py", python: Self.python) }

    /// Ends the server and removes its files.
    func end() { server.end() }

    // MARK: Control

    /// Injects faults into the next requests to the token endpoint, one each.
    func inject(_ faults: Fault...) async throws {
        try await control("faults", JSONEncoder().encode(faults))
    }

    /// The server accepts this as the secret of the client `web`.
    func changeSecret(to secret: String) async throws { try await control("secret", Data(secret.utf8)) }

    /// The server verifies the assertions of the client `bank` with this key.
    func register(_ key: JSONWebKey) async throws { try await control("key", JSONEncoder().encode(key)) }

    func revokeEverything() async throws { try await control("revoke", Data()) }

    /// The requests to the token endpoint so far: those that came, and those that Authlib saw.
    struct Calls: Decodable, Equatable {
        let came: Int
        let seen: Int

        static func - (left: Calls, right: Calls) -> Calls {
            Calls(came: left.came - right.came, seen: left.seen - right.seen)
        }
    }

    func calls() async throws -> Calls {
        try await JSONDecoder().decode(Calls.self, from: server.control("calls", "GET"))
    }

    private func control(_ name: String, _ body: Data) async throws {
        try await server.control(name, "POST", body)
    }
}

/// What the injector does instead of the server.
struct Fault: Encodable {
    enum Drop: String, Encodable { case before, after }

    var status: Int?
    var body: String?
    var drop: Drop?

    static func answer(_ status: Int, _ body: String = "") -> Fault { Fault(status: status, body: body) }
    /// Closes the connection, before or after the server has processed the request.
    static func drop(_ drop: Drop) -> Fault { Fault(drop: drop) }
}

// MARK: - For a suite

/// Runs a server for a suite, and ends it with the suite.
struct AuthlibSuite: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let server = try await Authlib()
        defer { server.end() }
        try await Authlib.$current.withValue(server) { try await function() }
    }
}

extension Trait where Self == AuthlibSuite {
    static var authlib: Self { AuthlibSuite() }
}

extension Authlib {
    /// Debian's Python, for which the packages are installed.
    fileprivate static let python = "/usr/bin/python3"

    /// Whether it is installed. Where it must be (`REQUIRE_AUTHLIB=1`, as in CI) its absence is a failure, not a skip.
    static let isThere: Bool = {
        if ProcessInfo.processInfo.environment["REQUIRE_AUTHLIB"] == "1" { return true }
        guard FileManager.default.isExecutableFile(atPath: python) else { return false }
        return (try? Command.runHere([python, "-c", "import authlib, flask"])) != nil
    }()

    static let how: Comment = "needs python3-authlib and python3-flask: .ci/install-tools"
}
#endif
