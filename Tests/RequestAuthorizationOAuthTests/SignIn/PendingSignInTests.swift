// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
@testable import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Which callbacks belong to a sign-in, and their results.
@Suite struct PendingSignInTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func code(
        _ query: String, of pending: PendingSignIn = .make(), after seconds: Double = 1
    ) throws -> String? {
        let callback = try URL.make("https://client.example.com/cb?\(query)")
        guard let parameters = pending.parameters(of: callback) else { return nil }
        return try pending.code(in: parameters, at: now.addingTimeInterval(seconds))
    }

    private func kind(
        _ query: String, of pending: PendingSignIn = .make(), after seconds: Double = 1
    ) -> SignInError.Kind? {
        do {
            return try code(query, of: pending, after: seconds) == nil ? .foreign : nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }

    @Test func `RFC 6749 §4.1.2: the example of an authorization response gives its code`() throws {
        #expect(try code("code=SplxlOBeZQQYbYS6WxSbIA&state=xyz") == "SplxlOBeZQQYbYS6WxSbIA")
    }

    @Test func `RFC 6749 §4.1.2: unknown parameters are ignored`() throws {
        #expect(try code("session_state=a&code=1&state=xyz&session_state=b") == "1")
    }

    @Test func `RFC 6749 §4.1.2.1: the example of an error response is a denial`() {
        #expect(kind("error=access_denied&state=xyz") == .denied)
    }

    @Test func `RFC 6749 §8.5: another error is refused with its code, also if the code is unknown`() throws {
        let error = #expect(throws: SignInError.self) {
            try code("error=urn%3Aexample&error_description=no%0A%1B%5B2J%E2%80%AEway&state=xyz")
        }
        #expect(error?.kind == .refused)
        #expect(error?.code == "urn:example")
        #expect(error?.serverDescription == "no[2Jway")
        #expect(error.map { "\($0)".contains("urn") } == false)
    }

    @Test(arguments: [
        ("temporarily_unavailable", "could not answer"), ("server_error", "could not answer"),
        ("login_required", "without prompt=none"), ("account_selection_required", "without prompt=none"),
        ("unmet_authentication_requirements", "acr_values"), ("unauthorized_client", "check the client"),
    ])
    func `RFC 6749 §4.1.2.1: only an error of the client leads to its registration`(code: String, advice: String) {
        let error = #expect(throws: SignInError.self) { try self.code("error=\(code)&state=xyz") }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains(advice) == true)
        #expect(error?.description.contains("redirect URI") == (code == "unauthorized_client"))
    }

    @Test(arguments: [
        "", "code=1", "code=1&state=xyZ", "code=1&state=xy", "code=1&state=xyzz", "code=1&state=",
        "code=1&state=xyz&state=xyz", "code=1&state=xyz&state=other", "code=1&state=%zz",
        "error=access_denied&state=forged",
        "error=access_denied",
    ])
    func `RFC 6749 §10.12: a callback without exactly one correct state is foreign, whether success or denial`(
        query: String
    ) {
        #expect(kind(query) == .foreign)
    }

    @Test(arguments: [
        "state=xyz", "code=1&error=access_denied&state=xyz", "code=1&code=1&state=xyz", "code=1&code=2&state=xyz",
        "error=a&error=a&state=xyz", "code=&state=xyz", "code=1&c%6Fde=2&state=xyz",
    ])
    func `an answer has exactly one of code and error, once`(query: String) {
        #expect(kind(query) == .malformed)
    }

    // RFC 9207 §2.4.
    @Test(arguments: ["code=1&state=xyz", "error=access_denied&state=xyz"])
    func `RFC 9207 §2.4: iss present and equal is accepted, different is rejected, announced and missing is rejected`(
        query: String
    ) {
        let known = PendingSignIn.make(issuer: "https://as.example")
        let announced = PendingSignIn.make(issuer: "https://as.example", announcesIssuer: true)
        let usual: SignInError.Kind? = query.hasPrefix("code") ? nil : .denied
        for pending in [known, announced] {
            #expect(kind("\(query)&iss=https%3A%2F%2Fas.example", of: pending) == usual)
            #expect(kind("\(query)&iss=https%3A%2F%2Fas.example%2F", of: pending) == .otherIssuer)
            #expect(kind("\(query)&iss=https%3A%2F%2FAS.example", of: pending) == .otherIssuer)
            #expect(
                kind("\(query)&iss=https%3A%2F%2Fas.example&iss=https%3A%2F%2Fas.example", of: pending) == .otherIssuer)
        }
        #expect(kind(query, of: known) == usual)
        #expect(kind(query, of: announced) == .otherIssuer)
    }

    @Test func `RFC 9207 §2.4: nothing of an answer with a wrong or missing iss is kept or shown`() throws {
        let announced = PendingSignIn.make(issuer: "https://as.example", announcesIssuer: true)
        func error(_ query: String) throws -> SignInError? {
            let callback = try URL.make("https://client.example.com/cb?\(query)&state=xyz")
            let parameters = try #require(announced.parameters(of: callback))
            return #expect(throws: SignInError.self) { try announced.code(in: parameters) }
        }
        let denial = "error=access_denied&error_description=call_evil&error_uri=https%3A%2F%2Fevil.example"
        let evil = "iss=https%3A%2F%2Fevil.example"
        for query in [
            denial, "code=1", "\(denial)&\(evil)", "\(denial)&iss=", "\(denial)&iss", "\(denial)&\(evil)&\(evil)",
        ] {
            let error = try #require(try error(query))
            #expect(error.kind == .otherIssuer && error.code == nil && error.serverDescription == nil)
            let all = "\(error) \(String(reflecting: error)) \(error.detail ?? "")"
            for text in ["access_denied", "evil"] { #expect(!all.contains(text), "\(query)") }
        }
        #expect(try error(denial)?.description.contains("issuer missing") == true)
        #expect(try error("\(denial)&\(evil)")?.description.contains("issuer missing") == false)
    }

    @Test func `RFC 9207 §2.4: issuers are compared by code points`() {
        let pending = PendingSignIn.make(issuer: "https://as.example/\u{E9}")
        #expect(kind("code=1&state=xyz&iss=https%3A%2F%2Fas.example%2F%C3%A9", of: pending) == nil)
        #expect(kind("code=1&state=xyz&iss=https%3A%2F%2Fas.example%2Fe%CC%81", of: pending) == .otherIssuer)
    }

    @Test func `RFC 8252 §8.10: an answer at another server's redirect URI is foreign`() throws {
        let callback = try URL.make("https://client.example.com/other?code=1&state=xyz")
        #expect(!PendingSignIn.make().accepts(callback))
        #expect(PendingSignIn.make(redirectURI: "https://client.example.com/other").accepts(callback))
    }

    @Test func `a sign-in is valid for 10 minutes`() {
        #expect(kind("code=1&state=xyz", after: 599) == nil)
        #expect(kind("code=1&state=xyz", after: 600) == .expired)
        #expect(kind("error=access_denied&state=xyz", after: 600) == .expired)
    }

    @Test func `a sign-in does not last longer if the clock is set back`() {
        #expect(kind("code=1&state=xyz", after: -600) == .expired)
    }

    @Test func `a sign-in survives encoding`() throws {
        let pending = PendingSignIn.make(issuer: "https://as.example", scopes: ["a", "b"])
        #expect(try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(pending)) == pending)
    }

    @Test(arguments: ["abc", "xbc", "axc", "abx", "xyz"])
    func `every character of a state is compared, wherever states differ`(other: String) {
        let (left, right) = (CountedBytes("abc"), CountedBytes(other))
        #expect(ConstantTime.areEqual(left, right) == (other == "abc"))
        #expect(left.reads.withLock { $0 } == [0, 1, 2] && right.reads.withLock { $0 } == [0, 1, 2])
    }

    @Test func `states are compared whole`() {
        #expect(ConstantTime.areEqual("abc", "abc"))
        for other in ["abd", "bbc", "ab", "abcd", "", "ABC"] { #expect(!ConstantTime.areEqual("abc", other)) }
    }
}

/// Bytes that record which of them were read.
private struct CountedBytes: RandomAccessCollection {
    private let bytes: [UInt8]
    let reads = Lock<[Int]>([])

    init(_ text: String) { bytes = Array(text.utf8) }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    subscript(index: Int) -> UInt8 {
        reads.withLock { $0.append(index) }
        return bytes[index]
    }
}
