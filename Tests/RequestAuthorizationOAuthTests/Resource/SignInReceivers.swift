// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import RequestAuthorization
import RequestAuthorizationURLSession

@testable import RequestAuthorizationOAuth

/// Opens the page itself and returns where it leads to, as a browser would.
struct PageOpener: CallbackReceiver {
    var redirectURI = "http://127.0.0.1:1/callback"
    var opened = Lock(0)

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let pending = try await start(redirectURI)
        try await show(pending.url)
        opened.withLock { $0 += 1 }
        let answer = try await PatientTransport.patient.send(TokenRequest(method: "GET", url: pending.url))
        guard let target = answer.headerValues(for: "Location").first.flatMap({ URL(string: $0) }) else {
            throw SignInError(.expired)
        }
        return target
    }
}

/// Pays no attention to cancellation at first: the page is refused late. After that it opens pages itself.
struct LateRefusal: CallbackReceiver {
    let begun: AsyncStream<Void>.Continuation
    let refusal: AsyncStream<Void>
    private let isFirst = Lock(true)

    init(tells begun: AsyncStream<Void>.Continuation, waitsFor refusal: AsyncStream<Void>) {
        (self.begun, self.refusal) = (begun, refusal)
    }

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        let isLate = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        guard isLate else { return try await PageOpener().callback(for: start, show: show) }
        begun.finish()
        await Task.detached { [refusal] in for await _ in refusal {} }.value
        throw SignInError(.denied)
    }
}

/// Blocks its thread, as one that calls readLine() does, and gets no callback.
struct BlockingReceiver: CallbackReceiver {
    let block: @Sendable () -> Void

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL {
        block()
        throw SignInError(.expired)
    }
}

/// Opens the page itself, and notes how it was prepared.
struct PreparedReceiver: CallbackReceiver {
    let calls = Lock<[String]>([])

    func preferring(_ redirectURI: String) -> PreparedReceiver {
        calls.withLock { $0.append("preferring \(redirectURI)") }
        return self
    }

    func dedicated(to issuer: String) -> PreparedReceiver {
        calls.withLock { $0.append("dedicated \(issuer)") }
        return self
    }

    func callback(
        for start: nonisolated(nonsending) @escaping @Sendable (_ redirectURI: String) async throws -> PendingSignIn,
        show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
    ) async throws -> URL { try await PageOpener().callback(for: start, show: show) }
}
#endif
