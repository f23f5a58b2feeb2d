// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import StoreFixtures
import Testing

/// The types of a sign-in print no secret.
@Suite struct SignInRedactionTests {
    @Test func `no type of a sign-in shows a secret, whichever way it is printed`() async throws {
        let leaks = try await SignInExhibits.all().flatMap { exhibit in
            Channel.allCases.filter { Secret.isPart(of: $0.text(of: exhibit.value)) }.map { "\(exhibit.type): \($0)" }
        }
        #expect(leaks == [])
    }

    @Test func `a request for a page is not printed with it, for the address has the state in it`() throws {
        let pending = PendingSignIn.make(state: "st4te", url: try .make("https://as.example/?state=st4te"))
        #expect(!Channel.allCases.contains { $0.text(of: pending).contains("st4te") })
    }
}

/// Values of the public types of a sign-in that were made to hold the secret wherever they can.
enum SignInExhibits {
    /// Types that hold names, numbers and addresses only.
    static let withoutSecrets: Set = ["PKCE", "SignInError.Kind", "WebAuthenticationReceiver"]

    static func all() async throws -> [(type: String, value: Any)] {
        let secret = Secret.text
        let pending = PendingSignIn.make(
            state: secret, codeVerifier: secret, redirectURI: "https://a.example/\(secret)", clientID: secret,
            issuer: secret, scopes: [secret], url: try .make("https://a.example/?state=\(secret)"))
        let memory = InMemoryPendingSignIns()
        let items = ItemPendingSignIns(InMemoryItems())
        try await memory.add(pending)
        try await items.add(pending)
        let device = try await device()
        return [
            ("PendingSignIn", pending), ("InMemoryPendingSignIns", memory), ("ItemPendingSignIns", items),
            ("SignInError", SignInError(.refused, code: secret, serverDescription: secret)),
            ("DeviceSignIn", device), ("DeviceSignInProgress", device.progress),
            ("DeviceSignInProgress.AsyncIterator", device.progress.makeAsyncIterator()),
            ("DeviceSignInStep", DeviceSignInStep.authorized(OAuthToken(accessToken: secret, refreshToken: secret))),
        ]
    }

    private static func device() async throws -> DeviceSignIn {
        let secret = Secret.text
        let answer = """
            {"device_code":"\(secret)","user_code":"\(secret)","verification_uri":"https://a.example/\(secret)",
             "expires_in":60}
            """
        let service = OAuthTokenService.device(
            server: AuthorizationServer(deviceAuthorizationEndpoint: URL(string: "https://a.example/device")),
            client: .secretPost(id: "a", secret: secret),
            transport: ScriptedTokenTransport(.response(200, json: answer)))
        return try await service.deviceSignIn(scopes: [secret])
    }
}
