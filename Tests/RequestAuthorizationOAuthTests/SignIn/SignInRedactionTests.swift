// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RedactionChecks
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import StoreFixtures
import Testing

/// Redaction that the exhibits cannot show.
@Suite struct SignInRedactionTests {
    @Test func `the address of a page is not printed, because it has the state in it`() throws {
        let pending = PendingSignIn.make(state: "st4te", url: try .make("https://as.example/?state=st4te"))
        #expect(!Channel.allCases.contains { $0.text(of: pending).contains("st4te") })
    }
}

extension Exhibit {
    /// Types of a sign-in that hold names, numbers and addresses only.
    static let signInWithoutSecrets: Set = ["PKCE", "SignInError.Kind", "WebAuthenticationReceiver"]

    static func signIn() async throws -> [Exhibit] {
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
            Exhibit("PendingSignIn", pending), Exhibit("InMemoryPendingSignIns", memory),
            Exhibit("ItemPendingSignIns", items),
            Exhibit("SignInError", SignInError(.refused, code: secret, serverDescription: secret)),
            Exhibit("DeviceSignIn", device), Exhibit("DeviceSignInProgress", device.progress),
            Exhibit("DeviceSignInProgress.AsyncIterator", device.progress.makeAsyncIterator()),
            Exhibit(
                "DeviceSignInStep", DeviceSignInStep.authorized(OAuthToken(accessToken: secret, refreshToken: secret))),
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
