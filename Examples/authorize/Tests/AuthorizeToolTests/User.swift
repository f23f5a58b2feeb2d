// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import TestServers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A user with a terminal, a browser and an empty home folder, and a FastMCP that rotates strictly.
struct User: Sendable {
    let server: FastMCP
    let home: String
    var url: String { server.resource }

    /// Serves while the closure runs.
    static func with(
        server environment: [String: String] = [:], _ body: (User) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "authorize-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let server = try await FastMCP(environment: environment)
        defer { server.end() }
        try await body(User(server: server, home: home))
    }

    var environment: [String: String] { ["XDG_STATE_HOME": home, "HOME": home] }

    func start(
        _ arguments: [String], input: String? = nil, environment more: [String: String] = [:]
    ) throws -> Program {
        try Program(Program.authorize, arguments, environment: environment.merging(more) { $1 }, input: input)
    }

    /// Runs a command to its end.
    func run(
        _ arguments: String..., input: String? = nil, environment more: [String: String] = [:]
    ) async throws -> Program.Result {
        try await start(arguments, input: input, environment: more).result()
    }

    /// Runs a line of a shell, in which `authorize` is this tool.
    func shell(_ line: String, environment more: [String: String] = [:]) async throws -> Program.Result {
        let path = "\(URL(filePath: Program.authorize).deletingLastPathComponent().path):/usr/bin:/bin"
        let all = environment.merging(["PATH": path]) { $1 }.merging(more) { $1 }
        return try await Program("/bin/bash", ["-c", line], environment: all).result()
    }

    /// Signs in: opens the page that is printed. The server consents at once.
    @discardableResult
    func login(_ arguments: String..., url: String? = nil) async throws -> Program.Result {
        let login = try start(["login", url ?? self.url, "--no-browser"] + arguments)
        try await Self.allow(try await login.page())
        let result = try await login.result()
        #expect(result.status == 0, "\(result.errors)")
        return result
    }

    /// The environment of a desktop whose browser follows a page to its end.
    func browser() throws -> [String: String] {
        let folder = home + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let isThere = FileManager.default.createFile(
            atPath: folder + "/xdg-open", contents: Data("#!/bin/sh\ncurl -sSL \"$1\"\n".utf8),
            attributes: [.posixPermissions: 0o700])
        try #require(isThere)
        return ["DISPLAY": ":0", "PATH": "\(folder):/usr/bin:/bin"]
    }

    static func allow(_ page: String) async throws {
        _ = try await URLSession.shared.data(from: try #require(URL(string: page)))
    }

    // MARK: Store

    struct Listed: Decodable {
        let account: String, url: String, issuer: String?, client: String?, scopes: [String]
    }

    func list() async throws -> [Listed] {
        let result = try await run("list", "--json")
        #expect(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode([Listed].self, from: Data(result.output.utf8))
    }

    func store(account: String = "me") async throws -> RestrictedFileTokenStore<OAuthToken> {
        let session = try #require(try await list().first { $0.account == account && $0.url == url })
        return RestrictedFileTokenStore(
            client: "authorize resource session",
            account: "\(account)\t\(session.url) \(session.issuer ?? "") \(session.client ?? "")",
            folder: .at("\(home)/swift-request-authorization"))
    }

    func storedToken(account: String = "me") async throws -> OAuthToken? {
        try await store(account: account).load()?.token
    }

    /// Moves the end of the stored access token.
    func setToken(remaining: TimeInterval, in store: RestrictedFileTokenStore<OAuthToken>) async throws {
        let kept = try #require(try await store.load())
        var token = try #require(kept.token)
        token.expiresAt = .now + remaining
        try await store.save(
            StoredToken(.token(token), version: kept.version, obtainedAt: token.expiresAt - 3600))
    }

    func expireToken() async throws { try await setToken(remaining: -1, in: store()) }
}

/// A process with standard input.
final class Program: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    let id: Int32
    private let process = Process()
    private let input: Pipe
    private let output: Reader
    private let errors: Reader
    private let end: AsyncStream<Int32>

    /// - Parameters:
    ///   - input: all of standard input; without it, it stays open for ``say(_:)``.
    ///   - terminal: the file of a terminal, for all three.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], input text: String? = nil,
        terminal: FileHandle? = nil
    ) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        process.environment = inherited.merging(environment) { $1 }
        // A script that runs the tests with `&` ignores Ctrl-C for them, and so for this program.
        signal(SIGINT, SIG_DFL)
        let (end, ended) = AsyncStream.makeStream(of: Int32.self)
        self.end = end
        process.terminationHandler = {
            ended.yield($0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus)
            ended.finish()
        }
        let (input, output, errors) = try launching { [process] in
            let (input, output, errors) = (Pipe(), Pipe(), Pipe())
            if let terminal {
                (process.standardInput, process.standardOutput, process.standardError) = (terminal, terminal, terminal)
            } else {
                (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
            }
            try process.run()
            return (input, output, errors)
        }
        self.input = input
        (self.output, self.errors) = (Reader(output.fileHandleForReading), Reader(errors.fileHandleForReading))
        id = process.processIdentifier
        if terminal != nil {
            try output.fileHandleForWriting.close()
            try errors.fileHandleForWriting.close()
        }
        if let text {
            try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try? input.fileHandleForWriting.close()
        }
    }

    func say(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Closes standard input, and waits until the program has ended. It is killed when the test's time is over.
    func result() async throws -> Result {
        try? input.fileHandleForWriting.close()
        var status: Int32 = -1
        for await code in end { status = code }
        if Task.isCancelled { send(SIGKILL) }
        return Result(status: status, output: await output.text(), errors: await errors.text())
    }

    /// Waits until the program has ended by itself, and returns its status.
    func status() async -> Int32? {
        for await code in end { return code }
        return nil
    }

    /// The next line of standard output.
    func line() async throws -> String {
        for await line in output.lines { return line }
        throw await neverSaid()
    }

    /// The next line of standard error with this in it.
    func error(with text: String) async throws -> String {
        for await line in errors.lines where line.contains(text) { return line }
        throw await neverSaid()
    }

    /// The page that a sign-in prints.
    func page() async throws -> String { try await error(with: "://127.0.0.1:") { $0.hasPrefix("http") } }

    private func error(with text: String, _ matches: (String) -> Bool) async throws -> String {
        for await line in errors.lines where line.contains(text) && matches(line) && line.contains("?") { return line }
        throw await neverSaid()
    }

    func send(_ signal: Int32) { if process.isRunning { kill(id, signal) } }

    /// Nothing is left of a test that failed.
    deinit { send(SIGKILL) }

    /// The program may run on: lines also end when the test's time is over.
    private func neverSaid() async -> NeverSaid {
        try? input.fileHandleForWriting.close()
        send(SIGKILL)
        return NeverSaid(text: await errors.text())
    }

    struct NeverSaid: Error { let text: String }

    /// The tool, as it was built with the tests.
    static var authorize: String { Bundle.main.bundleURL.appending(path: "authorize").path }
}
