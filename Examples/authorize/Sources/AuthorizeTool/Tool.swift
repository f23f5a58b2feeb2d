// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationStorage

/// The logic of the commands. The target `authorize` only reads their options.
///
///     let tool = try Tool(account: "me", keyFile: nil, json: false)
///     try await tool.header("https://notes.example/mcp")
///
/// Each command is a process of its own. They share sessions through files, so that commands that run at the same time
/// refresh a token only once, and show at most one page.
public struct Tool: Sendable {
    /// The account of commands without `--account`.
    public static let defaultAccount = "me"

    let keyFile: String?
    let json: Bool
    /// They know the account.
    var records: AccountRecords
    let environment = ProcessInfo.processInfo.environment

    /// - Parameters:
    ///   - account: any name that tells several sessions for a URL apart.
    ///   - keyFile: the file of the key that encrypts sessions; they are not encrypted without one.
    ///   - json: whether results are printed as JSON.
    /// - Throws: ``ToolFailure``.
    public init(account: String = defaultAccount, keyFile: String? = nil, json: Bool = false) throws {
        guard !account.isEmpty, !account.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw ToolFailure(.usage, "an account is a text without control characters") }
        (self.keyFile, self.json) = (keyFile, json)
        records = AccountRecords(account: account, key: try keyFile.map { try .read(from: $0) })
    }

    /// Follows no redirect: a credential must not go along. It lives as long as the program.
    static let client = client(silence: .seconds(90))

    /// - Parameter silence: how long a server may send nothing.
    static func client(silence: TimeAmount) -> HTTPClient {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        configuration.timeout.read = silence
        // Networks forget idle connections without a word, and a request on such a one would wait long.
        configuration.connectionPool.idleTimeout = .seconds(60)
        // A request of HTTP/1 that waits has a connection for itself, and must not hold up its own cancellation.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1000
        // A server that refuses connections is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// The command that signs in, for advice.
    func login(_ url: String, as options: SignInOptions = SignInOptions()) -> String {
        var words = ["authorize", "login", url]
        if records.account != Self.defaultAccount { words += SignInOptions.option("--account", records.account) }
        words += SignInOptions.option("--key-from", keyFile)
        return (words + options.words).map(Self.shellWord).joined(separator: " ")
    }

    /// A word for a shell, without control characters.
    private static func shellWord(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy({ plain.contains($0) }) { return text }
        // A shell reads bytes: a quote ends the word also if a combining mark makes one character with it.
        let parts = PlainText.clean(text).unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'\(parts.map { String($0) }.joined(separator: #"'\''"#))'"
    }

    /// The characters that mean nothing to a shell, wherever they are in a word.
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:/@%+,".utf8)

    // MARK: - Running

    /// The session of a URL, and how to end.
    struct Session: Sendable {
        /// The URL that was signed in to, and that the URL of the command line belongs to.
        let url: String
        /// `nil` if nobody is signed in.
        let stored: ResourceSessionSummary?
        /// What the next sign-in must ask for: what the last one did.
        let options: SignInOptions
        let auth: ProtectedResourceAuthorization

        /// Whether the stored token is bound to a key. The next sign-in may have another way.
        var isBound: Bool { stored?.isBound ?? false }
    }

    /// The session of a URL; without one, the place where one can begin.
    func place(of url: String) async throws -> Session {
        try await explaining(login(url)) {
            try check(url)
            let owner = try await records.session(of: url) ?? url
            let stored = try await provider(for: owner).storedSession()
            var options: SignInOptions = await records.value(named: "login \(owner)") ?? SignInOptions()
            if let stored { options.isBound = stored.isBound }
            let auth = provider(for: owner, isBound: stored?.isBound ?? false)
            return Session(url: owner, stored: stored, options: options, auth: auth)
        }
    }

    func check(_ url: String) throws {
        if URL(string: url).flatMap({ Origin($0) }) != nil { return }
        throw ToolFailure(.usage, "'\(url)' is no URL with scheme and host, or its port is above 65535")
    }

    func provider(for url: String, isBound: Bool = false) -> ProtectedResourceAuthorization {
        ProtectedResourceAuthorization(
            url, client: ClientIdentity(name: "authorize"), records: records, policy: .tool,
            proof: isBound ? .dpop : nil, transport: Self.client)
    }

    /// Runs a command that uses the session of a URL; see ``run(_:settling:stops:_:)``.
    func run<Value: Sendable>(
        _ url: String, _ body: @escaping @Sendable (Session) async throws -> Value
    ) async throws -> Value {
        let session = try await place(of: url)
        let advice = login(session.url, as: session.options)
        guard session.stored != nil else { throw ToolFailure(NotAuthorized(.noToken), login: advice) }
        return try await run(advice, settling: session.auth) { try await body(session) }
    }

    /// Translates an error for the user.
    ///
    /// - Parameter login: the command that signs in, for advice.
    func explaining<Value>(_ login: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw ToolFailure(error, login: login) }
    }

    /// Runs a command, waits for its refresh to be stored, and translates its error for the user.
    ///
    /// Ctrl-C, SIGTERM and SIGHUP cancel the command. If a refresh is under way, the program first waits until its
    /// result is stored: the answer may be the only copy of a new refresh token. Then it ends by the signal. A second
    /// signal ends it at once. If the reader of the results has gone, the program ends by SIGPIPE.
    ///
    /// - Parameters:
    ///   - login: the command that signs in, for advice.
    ///   - auth: whose refresh is waited for, asked when the command has ended.
    ///   - isSignIn: whether Ctrl-Z ends the command too. Stopped, it would hold the lock of the sign-in.
    /// - Throws: ``ToolFailure``.
    func run<Value: Sendable>(
        _ login: String, settling auth: @autoclosure () -> ProtectedResourceAuthorization? = nil,
        isSignIn: Bool = false, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A message from the background of a terminal with `stty tostop` would stop it, too.
        if isSignIn { signal(SIGTTOU, SIG_IGN) }
        let signals = await EndingSignals.watched(also: isSignIn ? [SIGTSTP] : [])
        let command = Task { try await body() }
        signals.onFirst { command.cancel() }
        let result = await command.result
        var unsettled: ToolFailure?
        do { try await auth()?.settle(within: .seconds(10)) } catch { unsettled = ToolFailure(error, login: login) }
        let isUnread = if case .failure(is Output.ClosedPipe) = result { true } else { false }
        if let signal = signals.received ?? (isUnread ? SIGPIPE : nil) {
            if let unsettled { Output.show(unsettled) }
            guard signal != SIGTSTP else {
                throw ToolFailure(
                    .tryLater, "a stopped sign-in would keep other programs waiting, so it has ended",
                    advice: "Begin again: \(login)")
            }
            EndingSignals.endProgram(by: signal)
        }
        let value = try await explaining(login) { try result.get() }
        if let unsettled { throw unsettled }
        return value
    }
}

/// Writes results and messages. Only results go to standard output; messages to the user go to standard error.
public enum Output {
    /// The reader of the results has closed its end of the pipe.
    struct ClosedPipe: Error {}

    /// Ignores SIGPIPE: a message that nobody reads must not end the program, for instance while a command runs.
    public static func prepare() {
        _ = EndingSignals.ignored  // A command of `exec` ignores SIGPIPE only if this program was started so.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a line of a result.
    ///
    /// - Throws: ``ToolFailure``, for instance if the disk is full; ``ClosedPipe``.
    static func show(_ text: String) throws {
        do {
            try write(text, to: .standardOutput)
        } catch {
            let number = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError).map { Int32($0.code) } ?? EIO
            if number == EPIPE { throw ClosedPipe() }
            throw ToolFailure(.store, "the result cannot be written: \(String(cString: strerror(number)))")
        }
    }

    /// A value as JSON, with sorted keys.
    static func json(_ value: some Encodable, isPretty: Bool = true) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.dateEncodingStrategy = .iso8601
        return PlainText.escape(json: String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes a message to the user.
    static func note(_ text: String) { try? write(PlainText.clean(text), to: .standardError) }

    /// Writes what failed, and what to do.
    public static func show(_ failure: ToolFailure) {
        note("error: \(failure.message)")
        if let advice = failure.advice { note("       \(advice)") }
    }

    /// Whether standard error is a terminal, with a person who may wait.
    static var hasTerminal: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

    /// Writes without a buffer, because a program may wait for the line at the other end of a pipe.
    private static func write(_ text: String, to file: FileHandle) throws {
        try file.write(contentsOf: Data((text + "\n").utf8))
    }
}
