// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorizationOAuth

/// Requests to a server that accepts only the nonce of its last answer. A proof is a plain text here.
@Suite(.timeLimit(.minutes(5))) struct ProofTurnTests {
    private let clock = ManualClock()
    private let nonces = ProofNonces()
    private let server = ProofNonces.Server.resource("https://api.example.com")

    /// Makes a proof, when it is its turn.
    @discardableResult
    private func prove(_ proof: String, request: ProvenRequest? = nil) async throws -> String? {
        let claims = try await nonces.nextProof(for: server, request: request, by: clock)
        _ = nonces.proof(claims, to: server) { proof }
        return claims.nonce?.text
    }

    /// The server answers a request.
    private func answer(_ proof: String, nonce: String?, error: String? = nil) {
        let fields: KeyValuePairs<String, String> = nonce == nil ? [:] : ["DPoP-Nonce": nonce ?? ""]
        _ = nonces.learn(
            from: ProofNonces.Answer(
                response: TestResponse(error == nil ? 200 : 401, fields), error: error, server: server, proof: proof),
            by: clock)
    }

    /// Refuses the nonce of the last answer.
    private func becomeStrict() async throws {
        try await prove("first")
        answer("first", nonce: "n1")
        try await prove("second")
        answer("second", nonce: "n2", error: "use_dpop_nonce")
    }

    @Test func `an error says whether a nonce is unusable, or was asked for again`() {
        #expect("\(InvalidProofNonce(.tooLong))".hasPrefix("the server's nonce for proofs is too long"))
        let repeated = "the server refused a proof with the nonce that it asks for"
        #expect("\(InvalidProofNonce(.repeated))".hasPrefix(repeated))
    }

    @Test func `a turn is taken until its proof is made`() {
        var (turns, sent) = (ProofTurns(), SentProofs())
        turns.begin(server, at: .zero)
        let first = turns.take(server, place: nil, among: &sent, at: .zero)
        let second = turns.take(server, place: nil, among: &sent, at: .zero)
        turns.made(server)
        let third = turns.take(server, place: nil, among: &sent, at: .zero)
        #expect(first == nil && second == ProofTurns.patience && third == nil)
    }

    @Test func `requests take turns after the newest nonce was refused, in their order`() async throws {
        try await becomeStrict()
        #expect(try await prove("third") == "n2")
        let next = Task { try await prove("fourth") }
        await clock.sleepers(1)
        let last = Task { try await prove("fifth") }
        await clock.sleepers(2)
        answer("third", nonce: "n3")
        #expect(try await next.value == "n3")
        await clock.sleepers(1)
        answer("fourth", nonce: "n4")
        #expect(try await last.value == "n4")
    }

    @Test func `a nonce that has grown old, or that was never sent, is no reason to take turns`() async throws {
        try await prove("first")
        answer("first", nonce: "n1", error: "use_dpop_nonce")
        try await prove("second")
        clock.advance(by: .seconds(6))
        answer("second", nonce: "n2", error: "use_dpop_nonce")
        for number in 3..<10 { #expect(try await prove("\(number)") == "n2") }
        #expect(clock.sleeping.isEmpty)
    }

    @Test func `a server that keeps its nonce gets requests at once again`() async throws {
        for nonce in ["n2", nil] {
            try await becomeStrict()
            try await prove("third")
            let next = Task { try await prove("fourth") }
            await clock.sleepers(1)
            answer("third", nonce: nonce)
            #expect(try await next.value == "n2")
            for number in 5..<10 { #expect(try await prove("\(number)") == "n2") }
            for number in 5..<10 { answer("\(number)", nonce: nil) }
            answer("fourth", nonce: "n0")
        }
    }

    @Test func `turns end after a minute`() async throws {
        try await becomeStrict()
        clock.advance(by: .seconds(60))
        for number in 3..<10 { #expect(try await prove("\(number)") == "n2") }
    }

    @Test func `a request that was not answered holds up the others for ten seconds`() async throws {
        try await becomeStrict()
        try await prove("third")
        let next = Task { try await prove("fourth") }
        await clock.sleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeping == [.seconds(1)])
        clock.advance(by: .seconds(1))
        #expect(try await next.value == "n2")
    }

    @Test func `a waiting request that is cancelled ends at once, and the next one has its turn`() async throws {
        try await becomeStrict()
        try await prove("third")
        let cancelled = Task { try await prove("fourth") }
        await clock.sleepers(1)
        let next = Task { try await prove("fifth") }
        await clock.sleepers(2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await clock.sleepers(1)
        answer("third", nonce: "n3")
        #expect(try await next.value == "n3")
    }

    @Test func `a proof that cannot be made, or is made anew before it was sent, holds nobody up`() async throws {
        try await becomeStrict()
        let claims = try await nonces.nextProof(for: server, by: clock)
        #expect(throws: ProofRefused.self) { try nonces.proof(claims, to: server) { throw ProofRefused() } }
        try await prove("third")
        let origin: Origin = "https://api.example.com"
        try await prove(
            "fourth", request: ProvenRequest(origin: origin, method: "GET", uri: "/", proof: ["dpop": "third"]))
        answer("fourth", nonce: "n4")
        #expect(try await prove("fifth") == "n4")
        nonces.lost("fifth", at: server)
        #expect(try await prove("sixth") == "n4")
        #expect(clock.sleeping.isEmpty)
    }

    #if Full
    @Test func `the next request has its turn when a proof is not sent`() async throws {
        try await becomeStrict()
        let proof = DPoPProof(
            try ProofSigner(.generated(.withToken)), accessToken: "a", nonces: nonces, clock: clock)
        let (origin, uri): (Origin, String) = ("https://api.example.com", "https://api.example.com/")
        let made = try await proof.fields(for: ProvenRequest(origin: origin, method: "POST", uri: uri))
        let next = Task { try await prove("third") }
        await clock.sleepers(1)
        proof.withdraw(
            ProvenRequest(origin: origin, method: "POST", uri: uri, proof: ["dpop": try #require(made["DPoP"])]),
            isSent: false)
        #expect(try await next.value == "n2")
    }

    @Test func `a request that was cancelled before its proof is made holds nobody up`() async throws {
        try await becomeStrict()
        let proof = DPoPProof(
            try ProofSigner(.generated(.withToken)), accessToken: "a", nonces: nonces, clock: clock)
        let request = ProvenRequest(
            origin: "https://api.example.com", method: "GET", uri: "https://api.example.com/")
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await proof.fields(for: request)
        }
        try await #require(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await prove("third") == "n2")
        #expect(clock.sleeping.isEmpty)
    }
    #endif

    @Test func `servers do not wait for each other`() async throws {
        try await becomeStrict()
        try await prove("third")
        #expect(try await nonces.nextProof(for: .resource("https://other.example"), by: clock).nonce == nil)
        #expect(try await nonces.nextProof(for: .authorization("https://api.example.com"), by: clock).nonce == nil)
    }
}
