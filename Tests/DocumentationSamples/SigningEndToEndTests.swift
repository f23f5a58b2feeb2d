// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import LoopbackServer
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationTesting
import RequestAuthorizationURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The signers of the guide against a server that verifies what they sign.
@Suite(.timeLimit(.minutes(5))) struct SigningEndToEndTests {
    enum Signer: CaseIterable, Sendable {
        case hmac, version4

        /// - Parameter secret: the server refuses any secret but its own.
        func provider(clock: ManualClock, secret: String = "secret") -> any AuthorizationProvider {
            switch self {
            case .hmac: HMACAuthorization(clock: clock) { ("k1", SymmetricKey(data: Data(secret.utf8))) }
            case .version4:
                SignatureVersion4Authorization(region: "eu-north-1", service: "widgets", clock: clock) {
                    ("k1", secret, nil)
                }
            }
        }

        func accepts(_ request: RawRequest, at clock: ManualClock, secrets: [String: String] = ["k1": "secret"]) -> Bool
        {
            let server = SigningServer(now: clock.now, secrets: secrets)
            return self == .hmac ? server.acceptsHMAC(request) : server.acceptsVersion4(request)
        }
    }

    private let clock = ManualClock()
    private let body = Data(#"{"name":"one"}"#.utf8)

    /// Answers a correctly signed request; `/moved` leads to `/here`.
    private func withVerifier(_ signer: Signer, body: (RawServer) async throws -> Void) async throws {
        try await withServer { [clock] request in
            guard signer.accepts(request, at: clock) else { return .unauthorized("Signature", body: "no") }
            return request.target == "/moved" ? .redirect(307, to: "/here?a=1") : .text("signed")
        } body: { server in
            try await body(server)
        }
    }

    private func post(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return request
    }

    private func status(_ response: URLResponse) -> Int? { (response as? HTTPURLResponse)?.statusCode }

    @Test(arguments: Signer.allCases) func `the server accepts what is sent: with a query, a body, an upload`(
        signer: Signer
    ) async throws {
        let provider = signer.provider(clock: clock)
        try await withVerifier(signer) { server in
            let session = URLSession.shared
            let query = URLRequest(url: server.url("/v1/a%20widget?b=2&a=1&c="))
            let (first, _) = try await session.data(for: query, authorizedBy: provider)
            var withBody = post(server.url("/v1/widgets"))
            withBody.httpBody = body
            let (second, _) = try await session.data(for: withBody, authorizedBy: provider)
            let (third, _) = try await session.upload(
                for: post(server.url("/v1/widgets")), from: body, authorizedBy: provider)
            #expect(
                [first, second, third].map { String(decoding: $0, as: UTF8.self) } == ["signed", "signed", "signed"])
            #expect(await server.requests.map(\.body) == [[], Array(body), Array(body)])
        }
    }

    @Test(arguments: Signer.allCases) func `a wrong key and an old signature are refused, and not tried again`(
        signer: Signer
    ) async throws {
        try await withVerifier(signer) { server in
            var request = post(server.url("/v1/widgets"))
            request.httpBody = body
            let wrong = signer.provider(clock: clock, secret: "another")
            let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: wrong)
            #expect(status(response) == 401 && String(decoding: data, as: UTF8.self) == "no")
            let late = signer.provider(clock: ManualClock(now: clock.now - 301))
            let (_, second) = try await URLSession.shared.data(for: request, authorizedBy: late)
            #expect(status(second) == 401)
            #expect(await server.requests.count == 2)
        }
    }

    @Test(arguments: Signer.allCases) func `a request that was changed on the way is refused`(signer: Signer)
        async throws
    {
        try await withVerifier(signer) { server in
            var request = post(server.url("/v1/widgets"))
            request.httpBody = body
            var authorized = try await request.authorized(using: signer.provider(clock: clock))
            authorized.httpBody = Data(#"{"name":"two"}"#.utf8)
            let (_, response) = try await URLSession.shared.data(for: authorized)
            #expect(status(response) == 401)
        }
    }

    @Test(arguments: Signer.allCases) func `the request of a redirect is signed again, with its body`(signer: Signer)
        async throws
    {
        let provider = signer.provider(clock: clock)
        try await withVerifier(signer) { server in
            let (data, _) = try await URLSession.shared.upload(
                for: post(server.url("/moved")), from: body, authorizedBy: provider)
            #expect(String(decoding: data, as: UTF8.self) == "signed")
            #expect(await server.requests.map(\.target) == ["/moved", "/here?a=1"])
        }
    }

    @Test(arguments: Signer.allCases) func `a file is signed if its digest is known, else nothing is sent`(
        signer: Signer
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "signed-\(UUID())")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let provider = signer.provider(clock: clock)
        try await withVerifier(signer) { server in
            var request = post(server.url("/v1/widgets"))
            let error = await #expect(throws: NotAuthorized.self) {
                try await URLSession.shared.upload(for: request, fromFile: file, authorizedBy: provider)
            }
            #expect(error?.reason == .notSignable)
            #expect(await server.requests.isEmpty)

            let digest = SHA256.hash(data: body)
            request.setValue("sha-256=:\(Data(digest).base64EncodedString()):", forHTTPHeaderField: "Content-Digest")
            let hex = digest.map { String(format: "%02x", $0) }.joined()
            request.setValue(hex, forHTTPHeaderField: "X-Amz-Content-Sha256")
            for target in ["/v1/widgets", "/moved"] {  // The caller's digest also counts for the address of a redirect.
                request.url = server.url(target)
                let (data, _) = try await URLSession.shared.upload(for: request, fromFile: file, authorizedBy: provider)
                #expect(String(decoding: data, as: UTF8.self) == "signed")
            }
        }
    }

    @Test func `after a 401 for a key that has been replaced the request is signed again`() async throws {
        let current = Lock(1)
        let provider = HMACAuthorization(clock: clock) {
            let number = current.withLock { $0 }
            return ("k\(number)", SymmetricKey(data: Data("secret \(number)".utf8)))
        }
        try await withServer { [clock] request in
            if Signer.hmac.accepts(request, at: clock, secrets: ["k2": "secret 2"]) { return .text("signed") }
            current.withLock { $0 = 2 }  // an operator installs the new key
            clock.advance(by: .seconds(60))
            return .unauthorized("HMAC-SHA256")
        } body: { server in
            let (data, _) = try await URLSession.shared.upload(
                for: post(server.url("/v1/widgets")), from: body, authorizedBy: provider)
            #expect(String(decoding: data, as: UTF8.self) == "signed")
            #expect(await server.requests.map { $0["X-Date"] } == ["2027-01-15T08:00:00Z", "2027-01-15T08:01:00Z"])
        }
    }

    @Test(arguments: Signer.allCases) func `async-http-client sends what is signed, and follows no redirect`(
        signer: Signer
    ) async throws {
        let provider = signer.provider(clock: clock)
        try await withVerifier(signer) { server in
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = .seconds(300)
            let client = HTTPClient(configuration: configuration)
            var request = HTTPClientRequest(url: server.url("/moved").absoluteString)
            request.method = .POST
            request.body = .bytes(body)
            let response = try await client.execute(
                request, timeout: .seconds(300), authorizedBy: provider, clientFollowsRedirects: false)
            #expect(response.status == .temporaryRedirect)  // The server looks at the signature first.
            let stream = AsyncStream { continuation in
                continuation.yield(ByteBuffer(bytes: body))
                continuation.finish()
            }
            request.body = .stream(stream, length: .unknown)
            let error = await #expect(throws: NotAuthorized.self) {
                try await client.execute(
                    request, timeout: .seconds(300), authorizedBy: provider, clientFollowsRedirects: false)
            }
            #expect(error?.reason == .notSignable)
            try await client.shutdown()
        }
    }
}
#endif
