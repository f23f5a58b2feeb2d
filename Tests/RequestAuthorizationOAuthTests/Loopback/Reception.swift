// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import Testing

@testable import RequestAuthorizationOAuth

/// A receiver that waits for a callback.
struct Reception: Sendable {
    let redirectURI: String
    let port: UInt16
    let isIPv6: Bool

    init(of redirectURI: String) {
        self.redirectURI = redirectURI
        port = URL(string: redirectURI)?.port.flatMap { UInt16(exactly: $0) } ?? 0
        isIPv6 = redirectURI.hasPrefix("http://[::1]:")
    }

    var authority: String { (isIPv6 ? "[::1]" : "127.0.0.1") + ":\(port)" }

    /// Sends a request on a new connection, with the correct `Host` unless told otherwise.
    func ask(_ target: String, method: String = "GET", hosts: [String]? = nil, fields: String = "") async throws
        -> RawAnswer
    {
        let hosts = (hosts ?? [authority]).map { "Host: \($0)\r\n" }.joined()
        return try await say("\(method) \(target) HTTP/1.1\r\n\(hosts)\(fields)\r\n")
    }

    func say(_ text: String) async throws -> RawAnswer {
        let connection = try await connect()
        defer { try? connection.close() }
        try await connection.send(text)
        return RawAnswer(try await connection.rest())
    }

    /// Sends the expected callback.
    func end() async throws {
        let answer = try await ask(Self.good)
        #expect(answer.status == 200)
    }

    func connect() async throws -> RawConnection { try await .open(host: isIPv6 ? "::1" : "127.0.0.1", port: port) }

    /// The address to which the authorization server sends the browser.
    static let good = "/callback?code=c0de&state=\(PendingSignIn.stateForTests)"
}

extension PendingSignIn {
    static let stateForTests = "5tate"

    /// A sign-in whose page names the redirect URI as a fragment.
    static func waiting(at redirectURI: String) throws -> PendingSignIn {
        .make(
            state: stateForTests, redirectURI: redirectURI,
            url: try .make("https://accounts.example.com/authorize#\(redirectURI)"))
    }
}

extension LoopbackReceiver {
    /// The time limit of a connection has its own test; elsewhere a busy machine may take longer.
    var patient: LoopbackReceiver {
        guard limits.connectionTime == Self.loopback.limits.connectionTime else { return self }
        var receiver = self
        receiver.limits.connectionTime = .seconds(600)
        return receiver
    }

    static var patient: LoopbackReceiver { loopback.patient }
}

/// Runs a sign-in and, while it waits, the body. Returns the callback.
func withReception(
    _ receiver: LoopbackReceiver = .loopback, body: @escaping @Sendable (Reception) async throws -> Void
) async throws -> URL {
    let receiver = receiver.patient
    let (shown, continuation) = AsyncStream<String>.makeStream()
    async let callback = {
        defer { continuation.finish() }
        return try await receiver.callback { redirectURI in
            continuation.yield(redirectURI)
            return try PendingSignIn.waiting(at: redirectURI)
        } show: { _ in
            continuation.yield("shown")
        }
    }()
    var progress = shown.makeAsyncIterator()
    if let redirectURI = await progress.next(), await progress.next() != nil {
        try await body(Reception(of: redirectURI))
    }
    return try await callback
}

/// Waits until the task is cancelled, and throws then.
func forever() async throws {
    let (never, continuation) = AsyncStream<Void>.makeStream()
    for await _ in never {}
    continuation.finish()
    try Task.checkCancellation()
}

/// Ends a reception before its callback has arrived.
struct SeenEnough: Error {
    var port: UInt16 = 0
}

#endif
