// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestAuthorizationURLSession
import TestProviders
import Testing

/// Bytes above 0x7F in a header. On Linux `URLSession` reads them as UTF-8, and fails if they are anything else.
@Suite(.timeLimit(.minutes(5))) struct HeaderEncodingTests {
    /// A 401 with these bytes in it, where `\u{FC}` of the text is one byte of Latin-1.
    private static func latin1(_ head: String) -> Answer {
        let text = "\(head)\r\nContent-Length: 2\r\n\r\nno"
        return Answer(steps: [.send(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })])
    }

    static let heads = [
        "HTTP/1.1 401 Status\r\nWWW-Authenticate: Bearer realm=\"Z\u{FC}rich\"",
        "HTTP/1.1 401 Status\r\nWWW-Authenticate: Basic realm=\"Z\u{FC}rich\"",
        "HTTP/1.1 200 Status\r\nX-City: Z\u{FC}rich", "HTTP/1.1 401 Z\u{FC}rich",
    ]

    @Test(arguments: heads, Way.allCases)
    func `a header that is not UTF-8 is an error that says so`(head: String, way: Way) async throws {
        try await withServer { _ in
            Self.latin1(head)
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                _ = try await way.send(way.request(server.url("/")), authorizedBy: .bearer("abc"))
            }
            #expect(error?.code == .unknown)
            #expect("\(error as (any Error)?)".contains("another encoding than UTF-8"))
            #expect(error?.localizedDescription.contains("use another HTTP client") == true)
        }
    }

    @Test(arguments: heads) func `a token endpoint's header that is not UTF-8 is told apart`(head: String) async throws
    {
        try await withServer { _ in
            Self.latin1(head)
        } body: { server in
            let error = await #expect(throws: TokenTransportError.self) {
                try await URLSession.shared.send(TokenRequest(url: server.url("/"), body: [1]))
            }
            #expect(error?.code == .unreadableHeader && error?.delivery == .mayHaveBeenProcessed)
            #expect(error?.kind == .transient)
        }
    }

    @Test func `UTF-8 is read`() async throws {
        let provider = LooseProvider()
        try await withServer { _ in
            .unauthorized("Bearer realm=\"Z\u{FC}rich\"")
        } body: { server in
            _ = try await Way.data.send(URLRequest(url: server.url("/")), authorizedBy: provider)
        }
        #expect(provider.refusals.withLock { $0.first?.challenges.map(\.parameters) } == [["realm": "Z\u{FC}rich"]])
    }

    @Test func `other errors of libcurl keep their text`() async throws {
        try await withServer { _ in
            .drop
        } body: { server in
            let error = await #expect(throws: URLError.self) {
                _ = try await Way.data.send(URLRequest(url: server.url("/")), authorizedBy: .bearer("abc"))
            }
            #expect(error?.localizedDescription.contains("UTF-8") == false)
        }
    }
}
#endif
