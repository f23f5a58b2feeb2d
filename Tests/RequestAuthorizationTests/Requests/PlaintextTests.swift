// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Testing

struct PlaintextTests {
    @Test(arguments: ["http://api.example.com", "ws://api.example.com", "http://127.0.0.1.evil.com"] as [Origin])
    func `a request that is sent unencrypted is plaintext`(origin: Origin) {
        #expect(FakeRequest.make(to: origin).isPlaintext)
    }

    @Test(
        arguments: ["https://api.example.com", "wss://api.example.com", "http://localhost:8080", "http://[::1]"]
            as [Origin])
    func `an encrypted request and one to this machine are not`(origin: Origin) {
        #expect(!FakeRequest.make(to: origin).isPlaintext)
    }

    @Test func `a request without an origin counts as plaintext`() async {
        let request = FakeRequest.make(to: nil)
        #expect(request.isPlaintext)
        let error = await #expect(throws: NotAuthorized.self) { try await request.authorized(using: .bearer("ABC")) }
        #expect(error?.reason == .insecureTransport)
        #expect(error?.detail?.contains("no origin") == true)
    }
}
