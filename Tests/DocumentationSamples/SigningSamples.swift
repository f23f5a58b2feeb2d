// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import RedactionChecks
import RequestAuthorizationTesting
import Testing

/// Samples of providers that sign requests, with the published vectors.
@Suite struct SigningSamples {
    /// 2027-01-15T08:00:00Z
    private let clock = ManualClock()

    private func hmac(_ secret: String = "secret") -> HMACAuthorization {
        HMACAuthorization(clock: clock) { ("k1", SymmetricKey(data: Data(secret.utf8))) }
    }

    // MARK: - HMACAuthorization

    /// The code was computed with Python's `hmac`.
    @Test func `method, path, query, time and body are signed`() async throws {
        let request = try await TestRequest(
            "https://api.widgets.example/v1/widgets?b=2&a=1", method: "POST", body: Array(#"{"name":"one"}"#.utf8)
        ).authorized(using: hmac())
        #expect(request["X-Date"] == "2027-01-15T08:00:00Z")
        #expect(request["Content-Digest"] == "sha-256=:r2v0O7e0yW7gH0xLZ2yjZbSgFIyx9g5ageDzVOdyKCw=:")
        #expect(
            request["Authorization"] == "HMAC-SHA256 key=k1, code=CaVgvQcqDXrgFQ4u/b+soq0D29R5/QSsXuYuGTdlZEA=")
    }

    @Test func `each part that is signed changes the code`() async throws {
        let requests = [
            TestRequest("https://a.example/p?q"), TestRequest("https://a.example/p?q", method: "HEAD"),
            TestRequest("https://a.example/r?q"), TestRequest("https://a.example/p?r"),
            TestRequest("https://a.example/p"),
            TestRequest("https://a.example?q"), TestRequest("https://a.example/p?q", body: [1]),
        ]
        var codes: Set<String?> = []
        for request in requests { codes.insert(try await request.authorized(using: hmac())["Authorization"]) }
        codes.insert(try await requests[0].authorized(using: hmac("other"))["Authorization"])
        clock.advance(by: .seconds(1))
        codes.insert(try await requests[0].authorized(using: hmac())["Authorization"])
        #expect(codes.count == requests.count + 2 && !codes.contains(nil))
    }

    /// RFC 4231 §4, test cases 1 to 4, 6 and 7.
    @Test(
        arguments: [
            (
                .init(repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                .init(repeating: 0xAA, count: 20), .init(repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                .init(1...25), .init(repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                .init(repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                .init(repeating: 0xAA, count: 131),
                Array(
                    ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to "
                        + "be hashed before being used by the HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [([UInt8], [UInt8], String)])
    func `a code is that of RFC 4231`(key: [UInt8], message: [UInt8], code: String) {
        let seen = HMACAuthorization.code(for: message, with: SymmetricKey(data: key))
        #expect(seen.map { String(format: "%02x", $0) }.joined() == code)
    }

    @Test func `a 401 leads to another try once the key has been replaced`() async throws {
        let ids = Lock(["k1", "k1", "k1", "k2", "k2"])
        let provider = HMACAuthorization(clock: clock) {
            (ids.withLock { $0.removeFirst() }, SymmetricKey(size: .bits256))
        }
        for tries in [1, 2] {
            let server = ScriptedTransport<TestRequest, TestResponse>(.response(401), .response(200))
            _ = try await provider.send(TestRequest()) { try await server.send($0) }
            #expect(server.calls == tries)
        }
    }

    // MARK: - Both

    private var providers: [any AuthorizationProvider] { [hmac(), aws()] }

    @Test func `they are providers`() async throws {
        // sample: checks
        let (key, clock) = (SymmetricKey(size: .bits256), ManualClock())
        try await AuthorizationProviderChecks { HMACAuthorization(clock: clock) { ("k1", key) } }.run()
        // end sample
        let provider = aws()
        try await AuthorizationProviderChecks { provider }.run()
    }

    @Test func `a request with unknown parts is not signed`() async throws {
        for provider in providers {
            let error = await #expect(throws: NotAuthorized.self) {
                try await TestRequest(body: nil).authorized(using: provider)
            }
            #expect(error?.reason == .notSignable)
            #expect(error?.detail?.contains("the body is not in memory") == true)
            let widget = await #expect(throws: NotAuthorized.self) {
                try await WidgetRequest(host: "api.widgets.example", path: "/").authorized(using: provider)
            }
            #expect(widget?.reason == .notSignable)
            let plain = await #expect(throws: NotAuthorized.self) {
                try await TestRequest("http://a.example/").authorized(using: provider)
            }
            #expect(plain?.reason == .insecureTransport)
        }
    }

    @Test func `the caller may give the digest of a body that is not in memory, and of no other body`() async throws {
        let digest = HMACAuthorization.digest(of: [1, 2, 3])
        let known = try await TestRequest(body: [1, 2, 3]).authorized(using: hmac())
        let streamed = try await TestRequest(fields: ["Content-Digest": digest], body: nil).authorized(using: hmac())
        let lied = try await TestRequest(fields: ["Content-Digest": digest], body: [9]).authorized(using: hmac())
        #expect(streamed["Authorization"] == known["Authorization"])
        #expect(lied["Content-Digest"] == HMACAuthorization.digest(of: [9]))

        let unsigned = try await TestRequest(fields: ["X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD"], body: nil)
            .authorized(using: aws())
        #expect(unsigned["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
        #expect(unsigned["Authorization"]?.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date,") == true)
    }

    @Test func `no signer prints its secret`() {
        let secret = SymmetricKey(data: Data(Secret.text.utf8))
        let exhibits = [
            Exhibit("HMACAuthorization", HMACAuthorization { ("k1", secret) }),
            Exhibit(
                "SignatureVersion4Authorization",
                SignatureVersion4Authorization(region: "r", service: "s") { ("AKIDEXAMPLE", Secret.text, Secret.text) }),
        ]
        #expect(exhibits.flatMap(\.leaks) == [])
    }

    // MARK: - SignatureVersion4Authorization

    private func aws(sessionToken: String? = nil, fields: [String] = ["Content-Type"]) -> SignatureVersion4Authorization
    {
        SignatureVersion4Authorization(
            region: "us-east-1", service: "service", fields: fields,
            clock: ManualClock(now: Date(timeIntervalSince1970: 1_440_938_160))
        ) { ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", sessionToken) }
    }

    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: TestRequest
        let signedFields: String
        let signature: String

        init(
            _ name: String, _ method: String = "GET", _ target: String = "/", fields: [String: String] = [:],
            body: String = "", signed: String = "host;x-amz-date", _ signature: String
        ) {
            testDescription = name
            request = TestRequest(
                "https://example.amazonaws.com\(target)", method: method, fields: fields, body: Array(body.utf8))
            (signedFields, self.signature) = (signed, signature)
        }
    }

    /// Of AWS's Signature Version 4 test suite, by their names there. Its paths are not encoded yet.
    static let suite = [
        Vector("get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            "get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            "get-vanilla-empty-query-key", "GET", "/?Param1=value1",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Vector("get-utf8", "GET", "/ሴ", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            "get-space", "GET", "/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Vector(
            "get-header-value-trim", fields: ["My-Header1": " value1", "My-Header2": " \"a   b   c\""],
            signed: "host;my-header1;my-header2;x-amz-date",
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Vector("post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            "post-vanilla-query", "POST", "/?Param1=value1",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Vector(
            "post-x-www-form-urlencoded", "POST", fields: ["Content-Type": "application/x-www-form-urlencoded"],
            body: "Param1=value1", signed: "content-type;host;x-amz-date",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    ]

    @Test(arguments: suite) func `a signature is that of AWS's test suite`(vector: Vector) async throws {
        let request = try await vector.request.authorized(
            using: aws(fields: ["Content-Type", "My-Header1", "My-Header2"]))
        #expect(request["X-Amz-Date"] == "20150830T123600Z")
        #expect(
            request["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(vector.signedFields), Signature=\(vector.signature)")
    }

    /// `post-sts-header-before` of the same suite.
    @Test func `a session token is sent and signed`() async throws {
        let token =
            "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwt"
            + "hAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
            + "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLx"
            + "BA=="
        let request = try await TestRequest("https://example.amazonaws.com/", method: "POST")
            .authorized(using: aws(sessionToken: token))
        #expect(request["X-Amz-Security-Token"] == token)
        #expect(
            request["Authorization"]?.hasSuffix(
                "SignedHeaders=host;x-amz-date;x-amz-security-token, "
                    + "Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead") == true)
    }

    /// The examples of "Authenticating Requests: Using the Authorization Header" in the reference of Amazon S3.
    @Test(
        arguments: [
            ("GET", "/?lifecycle", [:], "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            (
                "GET", "/?max-keys=2&prefix=J", [:], "",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
            (
                "GET", "/test.txt", ["Range": "bytes=0-9"], "",
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            (
                "PUT", "/test%24file.text",
                ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
                "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
        ] as [(String, String, [String: String], String, String)])
    func `a signature is that of the reference of S3, which signs the digest and encodes paths once`(
        method: String, target: String, fields: [String: String], body: String, signature: String
    ) async throws {
        let provider = SignatureVersion4Authorization(
            region: "us-east-1", service: "s3", fields: ["Content-Type", "Date", "Range", "X-Amz-Storage-Class"],
            clock: ManualClock(now: Date(timeIntervalSince1970: 1_369_353_600))
        ) { ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", nil) }
        let request = try await TestRequest(
            "https://examplebucket.s3.amazonaws.com\(target)", method: method, fields: fields, body: Array(body.utf8)
        ).authorized(using: provider)
        #expect(request["Authorization"]?.hasSuffix("Signature=\(signature)") == true)
    }
}
#endif
