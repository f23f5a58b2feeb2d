// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import RedactionChecks
import RequestAuthorizationGRPC
import TestProviders
import Testing

/// No type of this module prints a secret, and neither does the error of a call that was not made.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
    @Test func `the interceptor says where its calls go, and nothing else`() throws {
        let interceptor = AuthorizationInterceptor(
            LooseProvider(["Authorization": Secret.text]), origin: "https://api.example.com")
        #expect(Channel.allCases.filter { Secret.isPart(of: $0.text(of: interceptor)) } == [])
        #expect("\(interceptor)" == "AuthorizationInterceptor(https://api.example.com)")
        #expect(try PublicTypes.declared(in: ["RequestAuthorizationGRPC"]) == ["AuthorizationInterceptor"])
    }

    @Test func `the error of a call that was not made says why, and nothing else`() async throws {
        let provider = LooseProvider(["Authorization": Secret.text + "\n"])
        try await withEcho(EchoService(), provider) { client in
            let error = await #expect(throws: RPCError.self) {
                try await Way.unary.call(client, metadata: ["authorization": "\(Secret.text)"])
            }
            let thrown = try #require(error)
            #expect(Channel.allCases.filter { Secret.isPart(of: $0.text(of: thrown)) } == [])
            #expect("\(thrown)".contains("malformed credential"))
        }
    }
}
#endif
