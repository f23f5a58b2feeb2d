// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Where the token of a platform comes from, and what is wrong with it.
@Suite(.timeLimit(.minutes(5))) struct WorkloadIdentityTests {
    private let platform: Platform
    private let clock = ManualClock()

    init() throws { platform = try Platform() }

    private var identity: WorkloadIdentity { .file(platform.path, clock: clock) }

    private func error(_ identity: WorkloadIdentity) async -> WorkloadIdentityError? {
        await #expect(throws: WorkloadIdentityError.self) { try await identity.assertion() }
    }

    @Test func `a file is read anew for each use, whether it was replaced or written over`() async throws {
        let identity = identity
        let first = try platform.rename()
        #expect(try await identity.assertion() == first)
        let second = try platform.rename()
        #expect(try await identity.assertion() == second)
        try await platform.rewrite()
        #expect(try await identity.assertion() == Platform.token(3))
        try platform.write("\n \(Platform.token(4))\r\n")
        #expect(try await identity.assertion() == Platform.token(4))
    }

    @Test func `the links of Kubernetes' projected volumes are followed`() async throws {
        let files = FileManager.default
        let mount = platform.folder.appending(path: "mount")
        for number in 1...2 {
            let version = mount.appending(path: "..2026_11_2\(number)")
            try files.createDirectory(at: version, withIntermediateDirectories: true)
            try Data(Platform.token(number).utf8).write(to: version.appending(path: "token"))
        }
        let link = mount.appending(path: "token").path
        try files.createSymbolicLink(atPath: link, withDestinationPath: "..data/token")
        let identity = WorkloadIdentity.file(link, clock: clock)
        #expect(await error(identity)?.problem == .missing)
        for number in 1...2 {
            // As the kubelet does: a new link takes the place of the old one.
            try files.createSymbolicLink(
                atPath: mount.appending(path: "..data_tmp").path, withDestinationPath: "..2026_11_2\(number)")
            #expect(rename(mount.appending(path: "..data_tmp").path, mount.appending(path: "..data").path) == 0)
            #expect(try await identity.assertion() == Platform.token(number))
        }
    }

    @Test(arguments: ["", "\n", "eyJ", "a.b.", "a.b.c", String(Platform.token(1).prefix(40)), "not a token"])
    func `an empty or cut file is read three times within 150 ms, and is then a transient failure`(
        text: String
    ) async throws {
        try platform.write(text == "not a token" ? "eyJ.eyJ.eyJ" : text)
        let clock = PassingClock()
        let error = try #require(await error(.file(platform.path, clock: clock)))
        #expect(error.problem == .unfinished && error.kind == .transient && error.delivery == .notSent)
        #expect(clock.pauses == [.milliseconds(50), .milliseconds(100)])
    }

    @Test func `a file that is finished meanwhile is used at the second or the third reading`() async throws {
        for readings in 2...3 {
            try platform.write(String(Platform.token(7).prefix(40)))
            let identity = identity
            async let token = identity.assertion()
            for pause in [Duration.milliseconds(50), .milliseconds(100)].prefix(readings - 1) {
                await clock.sleeper(for: pause)
                if pause == [.milliseconds(50), .milliseconds(100)][readings - 2] { try platform.rename() }
                clock.advance(by: pause)
            }
            #expect(try await token == Platform.token(platform.current))
        }
    }

    @Test func `a pipe in the place of the file is neither waited for nor read again`() async throws {
        let clock = PassingClock()
        #expect(mkfifo(platform.path, 0o600) == 0)
        #expect(await error(.file(platform.path, clock: clock))?.problem == .notAFile)
        // Its writer may be there, and write a token.
        let writer = open(platform.path, O_RDWR | O_NONBLOCK)
        defer { close(writer) }
        #expect(Platform.token(1).withCString { write(writer, $0, strlen($0)) } > 0)
        #expect(await error(.file(platform.path, clock: clock))?.problem == .notAFile)
        #expect(clock.pauses.isEmpty)
    }

    @Test func `a waiting reader ends when its task is cancelled`() async throws {
        try platform.write("")
        let identity = identity
        let task = Task { try await identity.assertion() }
        await clock.sleeper(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `what is no file, too long, unreadable or missing says what to do, and no more than the path`()
        async throws
    {
        #expect(await error(.file(platform.folder.path))?.problem == .notAFile)
        #expect(mkfifo(platform.path, 0o600) == 0)
        #expect(await error(identity)?.problem == .notAFile)  // it is not waited for
        try FileManager.default.removeItem(atPath: platform.path)
        let missing = try #require(await error(identity))
        #expect(missing.problem == .missing && missing.kind == .transient)
        #expect(
            missing.description
                == "no token for the program's identity from \(platform.path): missing; check the path, and that the "
                + "platform has mounted the file; it is looked for again")
        let (body, most) = (String(repeating: "a", count: 1 << 16), Platform.token(1).utf8.count)
        try platform.write(Platform.token(1) + String(repeating: " ", count: (1 << 16) - most))
        #expect(try await identity.assertion() == Platform.token(1))
        try platform.write(body + "a")
        let long = try #require(await error(identity))
        #expect(long.problem == .tooLong && long.kind == .client && !long.description.contains("aaa"))
        try platform.write("\(Platform.token(1)) \(Platform.token(2))")
        #expect(await error(identity)?.problem == .malformed)
    }

    @Test func `an environment variable is one JWT, and says that it cannot be renewed`() async throws {
        let token = Platform.token(1)
        let identity = WorkloadIdentity.environment("ID_TOKEN", in: ["ID_TOKEN": token])
        #expect(try await identity.assertion() == token)
        let missing = await error(.environment("ID_TOKEN", in: [:]))
        #expect(missing?.problem == .missing && missing?.kind == .client)
        let text = WorkloadIdentityError.refused(identity, by: TokenEndpointError(status: 400, code: "invalid_grant"))
            .description
        #expect(text.contains("from ID_TOKEN: refused") && text.contains("cannot be renewed"))
    }

    // MARK: - URLs

    private static let gitHub = [
        "ACTIONS_ID_TOKEN_REQUEST_URL": "https://pipelines.actions.example/token?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "secret",
    ]

    @Test func `GitHub is asked anew for each use, for the audience and with the job's token`() async throws {
        let transport = ScriptedTokenTransport(
            .response(200, json: #"{"count":1,"value":"\#(Platform.token(1))"}"#),
            .response(200, json: #"{"count":1,"value":"\#(Platform.token(2))"}"#))
        let identity = WorkloadIdentity.gitHubActions(
            audience: "api://as example", environment: Self.gitHub, transport: transport)
        for number in 1...2 { #expect(try await identity.assertion() == Platform.token(number)) }
        let request = try #require(transport.requests.last)
        #expect(request.method == "GET" && request["Authorization"] == "Bearer secret")
        #expect(
            request.url.absoluteString
                == "https://pipelines.actions.example/token?api-version=2.0&audience=api%3A%2F%2Fas+example")
        #expect(request.maximumResponseLength == 1 << 16)
    }

    @Test func `without GitHub's variables the error names the permission`() async throws {
        for name in Self.gitHub.keys {
            var environment = Self.gitHub
            environment[name] = nil
            let error = await error(
                .gitHubActions(environment: environment, transport: ScriptedTokenTransport()))
            #expect(error?.source == name && error?.description.contains("id-token: write") == true)
        }
    }

    @Test(arguments: [
        (ScriptStep<TokenRequest, TokenResponse>.response(500, json: "{}"), TokenFailureKind.transient),
        (.response(429, json: "{}"), .transient), (.response(403, json: "{}"), .client),
        (.response(302, json: "{}"), .client), (.response(200, json: "{}"), .client),
        (.response(200, json: #"{"value":"secret"}"#), .transient), (.response(200, json: "<html>"), .transient),
        (.failure(TokenTransportError(.timedOut, delivery: .mayHaveBeenProcessed)), .transient),
        (.failure(TokenTransportError(.responseTooLong, delivery: .mayHaveBeenProcessed)), .client),
    ])
    func `an unusable answer of a URL is a typed failure that was not sent to the server`(
        step: ScriptStep<TokenRequest, TokenResponse>, kind: TokenFailureKind
    ) async throws {
        let error = await error(
            .gitHubActions(environment: Self.gitHub, transport: ScriptedTokenTransport(step)))
        #expect(error?.kind == kind && error?.delivery == .notSent)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [429, 503])
    func `RFC 9110 §10.2.3: the time in Retry-After of a URL's answer is reported`(status: Int) async throws {
        for (value, delay) in [("17", 17), ("Fri, 31 Dec 2100 12:00:00 GMT", 366 * 86_400)] {
            let step = ScriptStep<TokenRequest, TokenResponse>.response(
                status, json: "{}", fields: ["Retry-After": value])
            let error = await error(
                .gitHubActions(environment: Self.gitHub, transport: ScriptedTokenTransport(step)))
            #expect(error?.retryAfter == .seconds(delay) && error?.kind == .transient)
            #expect(error?.delivery == .notSent)
        }
    }

    @Test(arguments: [
        ("http://169.254.169.254/token", true), ("http://127.0.0.1:8080/token", true),
        ("http://localhost/token", true), ("https://platform.example/token", true),
        ("http://169.254.169.253/token", false), ("http://169.254.169.254.example/token", false),
        ("http://platform.example/token", false), ("http://10.0.0.1/token", false),
        ("ftp://127.0.0.1/token", false), ("/token", false), ("https://me@platform.example/token", false),
    ])
    func `plain http is for this machine and the metadata server alone`(url: String, isAllowed: Bool) async throws {
        let transport = ScriptedTokenTransport(
            forever: .response(200, json: #"{"value":"\#(Platform.token(1))"}"#))
        var environment = Self.gitHub
        environment["ACTIONS_ID_TOKEN_REQUEST_URL"] = url
        let identity = WorkloadIdentity.gitHubActions(environment: environment, transport: transport)
        if isAllowed {
            #expect(try await identity.assertion() == Platform.token(1))
        } else {
            #expect(await error(identity)?.kind == .client)
            #expect(transport.calls == 0)
        }
    }
}

/// A clock on which no time is waited for.
private final class PassingClock: AuthorizationClock {
    private let slept = Lock<[Duration]>([])

    var pauses: [Duration] { slept.withLock { $0 } }
    let now = ManualClock().now
    var uptime: Duration { pauses.reduce(.zero, +) }

    func sleep(for duration: Duration) async throws { slept.withLock { $0.append(duration) } }
}
