// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import TestServers
import Testing

/// A server with a self-signed certificate.
@Suite(.timeLimit(.minutes(5))) struct RefusedTLSTests {
    @Test(arguments: Carrier.allCases)
    func `RFC 6749 §10.9: a server with a self-signed certificate gets no secret`(carrier: Carrier) async throws {
        let server = try await onOwnThread { try SelfSigned() }
        defer { server.end() }
        // By default it would retry until the time is over.
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(300)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let clock = ManualClock()
        let held = OAuthToken(accessToken: "old", refreshToken: "r", lifetime: .seconds(60), expiresAt: clock.now)
        let service = OAuthTokenService.authorizationCode(
            server: .make(at: "https://127.0.0.1:\(server.port)"), client: .public(id: "app"),
            transport: carrier == .urlSession ? carrier.transport : client, clock: clock)
        let auth = RefreshableTokenAuthorization(
            service: service, token: held, policy: .init(backOff: .init(patience: .zero)), clock: clock)
        let failure = await #expect(throws: RefreshFailed.self) { try await auth.validToken() }
        try await client.shutdown()
        let error = try #require(failure?.underlying as? TokenTransportError)
        #expect(error.code == .insecure)
        #expect(error.delivery == .notSent)
    }
}

/// `openssl s_server`.
private final class SelfSigned: Sendable {
    let port: UInt16
    private let folder: String
    private let process: Process

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try Command.runHere([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key", "-out", folder + "/certificate",
        ])
        process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = [
            "60", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", folder + "/certificate", "-key",
            folder + "/key", "-www",
        ]
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // It prints `ACCEPT 127.0.0.1:40123` when it listens.
        var said = ""
        while true {
            if let port = said.firstMatch(of: /ACCEPT .*:(\d+)\n/).flatMap({ UInt16($0.1) }) {
                self.port = port
                return
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Command.Failure(text: "s_server ended: \(said)") }
            said += String(decoding: more, as: UTF8.self)
        }
    }

    func end() {
        Command.end(group: process.processIdentifier)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
#endif
