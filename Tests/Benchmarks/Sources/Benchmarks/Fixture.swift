// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import AllocationCounter
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// A token with an end of the benchmark's choice.
struct BenchmarkToken: AuthorizationToken, Codable {
    let authorizationHeaderValue: String
    let expiresAt: Date

    /// 200 characters, valid for an hour.
    static let valid = BenchmarkToken(
        authorizationHeaderValue: "Bearer " + String(repeating: "aB3-", count: 50), expiresAt: Date.now + 3_600)
    static let expired = BenchmarkToken(authorizationHeaderValue: "Bearer old", expiresAt: .distantPast)
}

/// A service that answers when the benchmark opens its gate.
actor GatedService: RefreshableTokenService {
    private(set) var calls = 0
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    nonisolated private let begun = AsyncStream<Void>.makeStream()

    func refresh(_ token: BenchmarkToken) async throws -> BenchmarkToken {
        calls += 1
        begun.continuation.finish()
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        return .valid
    }

    /// Returns once it has been called.
    nonisolated func hasBegun() async { for await _ in begun.stream {} }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// The smallest request: setting its credential allocates nothing.
struct SlotRequest: AuthorizableRequest {
    var authorization: String?

    var origin: Origin? { nil }
    var isPlaintext: Bool { false }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { authorization }
    mutating func setCredential(_ value: String, in field: String) { authorization = value }
}

enum Fixture {
    static let warm = RefreshableTokenAuthorization(service: GatedService(), token: BenchmarkToken.valid)

    static func urlRequest(to origin: Origin = "https://api.example.com") throws -> URLRequest {
        guard let url = URL(string: "\(origin)/v1/widgets?page=1") else { throw URLError(.badURL) }
        return URLRequest(url: url)
    }
}

/// Uses a value, so that the optimizer does not remove its computation.
@inline(never)
func keep<Value>(_ value: Value) {
    withUnsafePointer(to: value) { allocation_counter_keep($0) }
}
