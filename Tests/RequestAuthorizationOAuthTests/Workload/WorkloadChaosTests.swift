// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RequestAuthorizationOAuth

/// A fake security token service on loopback, and a platform that replaces its tokens all the time.
@Suite(.timeLimit(.minutes(5))) struct WorkloadChaosTests {
    /// What the service has seen.
    private struct Seen: Sendable {
        var tokens: [Int] = []
        var damaged: [String] = []
        /// The newest token when a reader began its call, and those that were sent and are older.
        var newest: [String: Int] = [:]
        var stale: [Int] = []
        /// What readers were told.
        var failures: [WorkloadIdentityError.Problem] = []
    }

    private static func refusal(_ code: String) -> Answer { .json(#"{"error":"\#(code)"}"#, status: 400) }

    /// The present token is accepted, and the five before it: a token lives longer than a request.
    private static func judge(
        _ token: String, of reader: String, at platform: Platform, _ seen: Lock<Seen>
    ) -> Answer {
        let current = platform.current
        return seen.withLock { seen in
            guard let number = Platform.number(of: token) else {
                seen.damaged.append(token)
                return refusal("invalid_grant")
            }
            seen.tokens.append(number)
            if number < seen.newest[reader] ?? 0 { seen.stale.append(number) }
            guard number >= current - 5 else { return refusal("invalid_grant") }
            return .json(#"{"access_token":"t\#(number)","token_type":"Bearer","expires_in":60}"#)
        }
    }

    @Test(arguments: [false, true])
    func `files that are replaced all the time give no stale token`(isExchange: Bool) async throws {
        let (platform, seen) = (try Platform(), Lock(Seen()))
        try platform.rename()
        try await withServer { request in
            let form = formParameters(request.text)
            return Self.judge(
                form[isExchange ? "subject_token" : "client_assertion"] ?? "",
                of: form[isExchange ? "audience" : "client_id"] ?? "", at: platform, seen)
        } body: { server in
            let base = "http://127.0.0.1:\(server.port)"
            let isDone = Lock(false)
            try await withThrowingTaskGroup { group in
                for reader in ["a", "b", "c", "d"] {
                    let service = try Self.service(isExchange, named: reader, platform: platform, base: base)
                    group.addTask {
                        for _ in 0..<40 {
                            seen.withLock { $0.newest[reader] = platform.written }
                            do { _ = try await service.initialToken() } catch let error as WorkloadIdentityError {
                                seen.withLock { $0.failures.append(error.problem) }
                            }
                        }
                        return true
                    }
                }
                group.addTask {
                    var isInPlace = false
                    while !isDone.withLock({ $0 }) {
                        isInPlace.toggle()
                        if isInPlace { try await platform.rewrite() } else { try platform.rename() }
                        await Task.yield()
                    }
                    return false
                }
                var readers = 4
                for try await isReader in group where isReader {
                    readers -= 1
                    if readers == 0 { isDone.withLock { $0 = true } }
                }
            }
        }
        let result = seen.withLock { $0 }
        #expect(Set(result.tokens).count > 10)
        #expect(result.stale == [])
        // A token that is cut in its signature cannot be told from a whole one: it is refused, and read again. How many
        // readings end so depends on the machine.
        #expect(result.damaged.allSatisfy { $0.split(separator: ".").count == 3 }, "\(result.damaged)")
        #expect(result.failures.allSatisfy { [.unfinished, .refused].contains($0) })
    }

    private static func service(
        _ isExchange: Bool, named name: String, platform: Platform, base: String
    ) throws -> OAuthTokenService {
        guard isExchange else {
            return .workload(
                .file(platform.path), server: .make(at: base), client: .public(id: name), transport: .patient)
        }
        let json = """
            {"type":"external_account","audience":"\(name)","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
            "token_url":"\(base)/token","credential_source":{"file":"\(platform.path)"}}
            """
        return try .externalAccount(
            Data(json.utf8), scopes: ["s"], trusting: [try #require(Origin(base))], transport: .patient)
    }

    /// The file is replaced while the server thinks, so what was sent is stale when it is judged.
    @Test(arguments: [false, true])
    func `a token that gets stale on the way is sent anew within the same refresh`(isInPlace: Bool) async throws {
        let (platform, seen) = (try Platform(), Lock([Int]()))
        try platform.rename()
        try await withServer { request in
            let number = Platform.number(of: formParameters(request.text)["assertion"] ?? "") ?? 0
            let isFirst = seen.withLock { seen in
                seen.append(number)
                return seen.count == 1
            }
            if isFirst { if isInPlace { try await platform.rewrite() } else { try platform.rename() } }
            guard number == platform.current else { return Self.refusal("invalid_grant") }
            return .json(#"{"access_token":"t\#(number)","token_type":"Bearer","expires_in":60}"#)
        } body: { server in
            let auth = RefreshableTokenAuthorization(
                service: OAuthTokenService.workloadGrant(
                    .file(platform.path), server: .make(at: "http://127.0.0.1:\(server.port)"), transport: .patient),
                clock: ManualClock(now: .now))
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await auth.validToken().accessToken } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens == ["t2"])
        }
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test func `a URL whose answer is too long gives no token, and nothing reaches the server`() async throws {
        try await withServer { request in
            request.target == "/token"
                ? .text("") : .status(200, body: String(repeating: "a", count: (1 << 16) + 1))
        } body: { server in
            let base = "http://127.0.0.1:\(server.port)"
            let json = """
                {"type":"external_account","audience":"a","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
                "token_url":"\(base)/token","credential_source":{"url":"\(base)/source"}}
                """
            let service = try OAuthTokenService.externalAccount(
                Data(json.utf8), scopes: ["s"], trusting: [try #require(Origin(base))], transport: .patient)
            let error = await #expect(throws: WorkloadIdentityError.self) { try await service.initialToken() }
            #expect(error?.problem == .tooLong && error?.kind == .client)
            #expect(await server.requests.map(\.target) == ["/source"])
        }
    }
}
#endif
