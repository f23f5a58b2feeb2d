// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth
import Synchronization

/// What a sign-in asks for, and how the person's answer comes back.
public struct SignInOptions: Codable, Sendable {
    public var scopes: Set<String> = []
    /// The issuer of the server, if the resource does not introduce itself, or if the client is registered there.
    public var issuer: String?
    /// The id of a client that is registered at the issuer.
    public var client: String?
    /// The file with the client's secret. The path is absolute, as advice may be followed in any folder.
    public var secretFile: String?
    /// The URL of a client id metadata document.
    public var document: String?
    public var opensBrowser = true
    /// Whether the person pastes the address of the callback, from a browser on another machine.
    public var pastes = false
    /// Whether the person enters a code on another device. It is so by itself where there is no display and the server can do it.
    public var usesDevice = false
    /// The port of the callback, for a client with a fixed one; 0 for any.
    public var port: UInt16 = 0
    /// Whether tokens are bound to a key (RFC 9449).
    public var isBound = false

    public init() {}

    /// The words of the command line.
    var words: [String] {
        let values: [(String, String?)] = [
            ("--issuer", issuer), ("--client", client), ("--client-secret-file", secretFile),
            ("--client-document", document), ("--port", port == 0 ? nil : "\(port)"),
        ]
        let flags: [String?] = [
            opensBrowser ? nil : "--no-browser", pastes ? "--paste" : nil, usesDevice ? "--device" : nil,
            isBound ? "--dpop" : nil,
        ]
        var all = scopes.sorted().flatMap { Self.option("--scope", $0) }
        all += values.flatMap { Self.option($0, $1) }
        return all + flags.compactMap(\.self)
    }

    /// An option and its value: one word if the value alone would count as an option; none without a value.
    static func option(_ name: String, _ value: String?) -> [String] {
        guard let value else { return [] }
        return value.hasPrefix("-") ? ["\(name)=\(value)"] : [name, value]
    }
}

extension Tool {
    /// `authorize login`: finds the server, asks the person, signs in. The last session stays until the new one begins.
    public func login(_ url: String, _ options: SignInOptions) async throws {
        let advice = login(url, as: options)
        try await explaining(advice) {
            try check(url)
            if options.pastes, StandardInput.isInBackground {
                throw ToolFailure(.usage, "--paste needs the terminal, and this program is in its background")
            }
            // A session that is taken over is one that another program asked for.
            let hasAsked = Mutex(false)
            let auth = try await signInProvider(for: url, options) { request in
                hasAsked.withLock { $0 = true }
                return try await Self.ask(request)
            }
            try await run(advice, settling: auth, isSignIn: true) {
                if let holder = try await auth.signInUnderWay() {
                    Output.note(
                        "Process \(holder.process) has been signing in here since \(Self.time(holder.since)). "
                            + "Waiting for its end; Ctrl-C gives up.")
                }
                var stored = try await signIn(by: auth, to: url, options)
                // A sign-in that was waited for may have been one without a key.
                if options.isBound, stored?.isBound == false { stored = try await signIn(by: auth, to: url, options) }
                guard let session = stored else { throw ToolFailure.unsaved }
                // For advice. The session counts without it, too.
                if hasAsked.withLock({ $0 }) {
                    try? await records.save(JSONEncoder().encode(options), named: "login \(url)")
                }
                try show([SessionReport(account: records.account, url: url, session)])
            }
        }
    }

    static func time(_ date: Date) -> String { date.formatted(.iso8601) }

    // MARK: -

    private typealias Ask = @Sendable (ResourceSignIn.Request) async throws -> Bool

    /// Signs in, or takes over the session of a sign-in that is under way, and returns what is stored then.
    private func signIn(
        by auth: ProtectedResourceAuthorization, to url: String, _ options: SignInOptions
    ) async throws -> ResourceSessionSummary? {
        try await auth.signIn(scopes: options.scopes)
        try await auth.settle(within: .seconds(10))
        return try await provider(for: url).storedSession()
    }

    private func signInProvider(
        for url: String, _ options: SignInOptions, ask: @escaping Ask
    ) async throws -> ProtectedResourceAuthorization {
        var identity = ClientIdentity(name: "authorize", document: options.document)
        var known: ProtectedResource?
        var usesDevice = options.usesDevice
        if let issuer = options.issuer {
            if let client = try client(options) { identity.registered = [issuer: client] }
            known = try await found(url, options, over: Self.client)
            known?.server.quirks.requiresListedPKCE = false
        }
        if !usesDevice, canOnlyShow(options) {
            // What fails here fails below, with its reason.
            let found = known == nil ? try? await found(url, options, over: Self.client) : known
            usesDevice = found?.server.deviceAuthorizationEndpoint != nil
        }
        return ProtectedResourceAuthorization(
            url, client: identity, records: records, policy: .tool, known: known, proof: options.isBound ? .dpop : nil,
            requiresListedPKCE: options.issuer == nil && !usesDevice, transport: Self.client,
            signIn: usesDevice ? onAnotherDevice(ask) : signIn(options, ask))
    }

    /// Whether there is no display, and nothing else was asked for.
    private func canOnlyShow(_ options: SignInOptions) -> Bool {
        guard options.opensBrowser, !options.pastes, options.port == 0 else { return false }
        #if os(macOS)
        return environment["SSH_CONNECTION"] != nil
        #else
        return environment["DISPLAY"] == nil && environment["WAYLAND_DISPLAY"] == nil
        #endif
    }

    private func onAnotherDevice(_ ask: @escaping Ask) -> ResourceSignIn {
        .onAnotherDevice(
            show: { device in
                Output.note(device.instructions)
                if Output.hasTerminal { Output.note("Waiting for your answer there; Ctrl-C gives up.") }
            }, ask: ask)
    }

    private func client(_ options: SignInOptions) throws -> OAuthClient? {
        guard let id = options.client else { return nil }
        guard let path = options.secretFile else { return .public(id: id) }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ToolFailure(.configuration, "the file of the client secret cannot be read")
        }
        return .secretBasic(id: id, secret: text.trimmingCharacters(in: .newlines))
    }

    private func signIn(_ options: SignInOptions, _ ask: @escaping Ask) -> ResourceSignIn {
        let show: @Sendable (URL) async -> Void = { page in
            Output.note("Open this page and allow it:")
            Output.note(page.absoluteString)
            guard !options.pastes else { return }
            if options.opensBrowser { openBrowser(page) }
            if Output.hasTerminal { Output.note("Waiting for your answer there; Ctrl-C gives up.") }
        }
        if options.pastes { return .through(PastedCallback(port: options.port), show: show, ask: ask) }
        return .through(.loopback(port: options.port), show: show, ask: ask)
    }

    /// Says who asks whom for what. A person at a terminal is asked for a yes; elsewhere the command is the yes.
    @Sendable private static func ask(_ ask: ResourceSignIn.Request) async throws -> Bool {
        let scopes = ask.scopes.isEmpty ? "what it chooses" : ask.scopes.sorted().joined(separator: " ")
        Output.note("\(ask.issuer) guards \(ask.resource), and is asked for: \(scopes)")
        guard Output.hasTerminal, isatty(STDIN_FILENO) == 1, !StandardInput.isInBackground else { return true }
        Output.note("Sign in there? [Y/n]")
        guard let answer = await StandardInput.line() else { return false }
        return ["", "y", "yes"].contains(answer.trimmingCharacters(in: .whitespaces).lowercased())
    }

    /// Opens a page in the user's browser, without our input and output.
    private func openBrowser(_ page: URL) {
        #if os(macOS)
        let name = "open"
        #else
        let name = "xdg-open"
        #endif
        guard ["http", "https"].contains(page.scheme) else { return }
        _ = try? Child.start([name, page.absoluteString], isApart: true)
    }
}

/// Receives the callback that a person pastes: the browser is on another machine, and shows that it cannot open it.
struct PastedCallback: CallbackReceiver {
    /// No program listens there.
    private(set) var redirectURI: String
    private let isPortFixed: Bool

    /// - Parameter port: 0 for any.
    init(port: UInt16) {
        (redirectURI, isPortFixed) = ("http://127.0.0.1:\(port == 0 ? 8766 : port)/callback", port != 0)
    }

    /// Registrations name the whole redirect URI, so an earlier one is used again, if it has a path for its issuer too.
    func preferring(_ redirectURI: String) -> PastedCallback {
        let isDedicated = { (uri: String) in uri.contains("/callback/") }
        guard !isPortFixed, redirectURI.hasPrefix("http://127.0.0.1:"),
            isDedicated(redirectURI) || !isDedicated(self.redirectURI)
        else { return self }
        var receiver = self
        receiver.redirectURI = redirectURI
        return receiver
    }

    /// For servers whose callbacks do not name them (RFC 9700 §4.4.2).
    func dedicated(to issuer: String) -> PastedCallback {
        var receiver = self
        receiver.redirectURI += "/" + issuer.utf8.map { String($0, radix: 16) }.joined()
        return receiver
    }

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start(redirectURI)
        try await show(pending.url)
        Output.note("The browser then fails to open an address. Paste that address here:")
        while let line = await StandardInput.line() {
            let address = URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines))
            if let address, pending.accepts(address) { return address }
            Output.note("That is not the address of this sign-in. Paste all of it, from http:// on:")
        }
        throw SignInError(.cancelled)
    }
}

/// Standard input, read on a thread of its own: a task must not block. A task that is cancelled does not wait for it.
enum StandardInput {
    /// Whether reading would stop the program, which may hold the lock of a sign-in.
    static var isInBackground: Bool { ![-1, getpgrp()].contains(tcgetpgrp(STDIN_FILENO)) }

    /// The next line; `nil` at the end, or if there is none in time. A sign-in lasts ten minutes.
    static func line(within limit: Duration = .seconds(600)) async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        read(into: line, atMost: 1)
        let timer = Task {
            try await SystemClock.system.sleep(for: limit)
            line.finish()
        }
        defer { timer.cancel() }
        for await line in lines { return line }
        return nil
    }

    /// The lines up to an empty one, with which git ends its input, or to the end.
    static func lines() async -> [String] {
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        read(into: line)
        return await lines.prefix { !$0.isEmpty }.reduce(into: []) { $0.append($1) }
    }

    static func read(into lines: AsyncStream<String>.Continuation, atMost count: Int = .max) {
        Thread.detachNewThread {
            for _ in 0..<count {
                guard let line = readLine() else { break }
                lines.yield(line)
            }
            lines.finish()
        }
    }
}
