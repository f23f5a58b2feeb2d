// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Members of a server's metadata that `AuthorizationServer` has no property for.
@Suite struct MetadataTests {
    private func discovered(_ rest: String, issuer: String = "https://as.example") async throws -> AuthorizationServer {
        let transport = ScriptedTokenTransport(.response(200, json: #"{"issuer":"\#(issuer)",\#(rest)}"#))
        return try await .discover(issuer: issuer, transport: transport)
    }

    @Test func `members without a property are kept, whatever they are`() async throws {
        let server = try await discovered(
            #""a":"text","b":["x","y"],"c":true,"d":{"e":[1,2.5,null]},"token_endpoint":"https://as.example/t""#)
        #expect(
            server.additionalMetadata == [
                "a": .string("text"), "b": .array([.string("x"), .string("y")]), "c": .bool(true),
                "d": .object(["e": .array([.integer(1), .number(2.5), .null])]),
            ])
        #expect(server.metadataText("a") == "text")
        #expect(server.metadataTexts("b") == ["x", "y"])
        #expect(server.metadataFlag("c"))
    }

    @Test func `a member of another type than requested counts as absent`() async throws {
        let server = try await discovered(
            #""a":1,"b":["x",1],"c":"true","d":"","token_endpoint_auth_methods_supported":"none""#)
        #expect(server.metadataText("a") == nil)
        #expect(server.metadataText("d") == nil)
        #expect(server.metadataTexts("b") == nil)
        #expect(server.metadataTexts("missing") == nil)
        #expect(!server.metadataFlag("c"))
        #expect(server.listedAuthenticationMethods == nil)
    }

    @Test(arguments: [
        (#""http://as.example/u""#, AuthorizationServerError.Problem.insecure),
        (#""http://127.0.0.1:1/u""#, .insecure), (#""https://as.example/u#f""#, .fragment), (#""/u""#, .notAURL),
        ("7", .missingEndpoint), (#""""#, .missingEndpoint),
    ])
    func `an address is checked when it is read`(json: String, problem: AuthorizationServerError.Problem) async throws {
        let server = try await discovered(#""userinfo_endpoint":\#(json)"#)
        let error = #expect(throws: AuthorizationServerError.self) {
            try server.metadataEndpoint("userinfo_endpoint")
        }
        #expect(error?.problem == problem)
        #expect(error?.member == "userinfo_endpoint")
    }

    @Test func `a server on this machine may name addresses on this machine`() async throws {
        let server = try await discovered(#""x_endpoint":"http://127.0.0.1:1/u""#, issuer: "http://127.0.0.1:2")
        #expect(try server.metadataEndpoint("x_endpoint").absoluteString == "http://127.0.0.1:1/u")
    }

    @Test func `each endpoint is read from metadata, except that of refreshes, and each is encoded`() async throws {
        func url(_ name: String) -> URL? { URL(string: "https://as.example/\(name)") }
        var expected = AuthorizationServer(
            issuer: "https://as.example", authorizationEndpoint: url("authorization"), tokenEndpoint: url("token"),
            deviceAuthorizationEndpoint: url("device_authorization"), revocationEndpoint: url("revocation"),
            introspectionEndpoint: url("introspection"),
            pushedAuthorizationRequestEndpoint: url("pushed_authorization_request"))
        let members = [
            "authorization", "token", "refresh", "device_authorization", "revocation", "introspection",
            "pushed_authorization_request",
        ].map { #""\#($0)_endpoint":"https://as.example/\#($0)""# }.joined(separator: ",")
        #expect(try await discovered(members) == expected)
        expected.refreshEndpoint = url("refresh")
        let document = Data(#"{"issuer":"https://as.example",\#(members)}"#.utf8)
        let decoded = try JSONDecoder().decode(AuthorizationServer.self, from: document)
        #expect(decoded == expected)
        #expect(try JSONDecoder().decode(AuthorizationServer.self, from: JSONEncoder().encode(decoded)) == expected)
    }

    @Test func `a server is the same after encoding and decoding, and a server's own document can be decoded`()
        async throws
    {
        var server = try await discovered(#""a":{"b":[true]},"token_endpoint":"https://as.example/t""#)
        server.quirks.signOutAdvice = "do"
        server.additionalMetadata["issuer"] = .string("https://evil.example")  // the value of the property counts
        let read = try JSONDecoder().decode(AuthorizationServer.self, from: JSONEncoder().encode(server))
        server.additionalMetadata["issuer"] = nil
        #expect(read == server)
        let document = Data(#"{"issuer":"https://as.example","token_endpoint":"https://as.example/t","x":1}"#.utf8)
        let decoded = try JSONDecoder().decode(AuthorizationServer.self, from: document)
        #expect(decoded.additionalMetadata == ["x": .integer(1)])
        #expect(decoded.issuer == "https://as.example")
    }
}
