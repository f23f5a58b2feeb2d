// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import GRPCNIOTransportHTTP2Posix
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import Testing

/// The samples of `Documentation/Guide/GRPC.md`.
@Suite(.timeLimit(.minutes(5))) struct SampleTests {
    @Test func `a client is made`() async throws {
        let client = try makeClient(authorizedBy: .bearer("a"))
        client.beginGracefulShutdown()
    }

    @Test func `a custom policy and a policy for one call retry`() async throws {
        #expect(careful.executionPolicy?.retry?.retryableStatusCodes.contains(.unauthenticated) == true)
        #expect(patient.methodConfig.map { $0.executionPolicy?.retry?.maxAttempts } == [4, 3])
    }

    @Test(arguments: [(Way.clientStreaming, ["Bearer a"]), (.unary, ["Bearer a", "Bearer b"])])
    func `a method without a policy is not retried, and the others are`(way: Way, credentials: [String]) async throws {
        var config = uploading
        let upload = Way.clientStreaming.method
        config.methodConfig[0].names = [.init(service: upload.service.fullyQualifiedService, method: upload.method)]
        let echo = EchoService(accepting: "Bearer b")
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b"))), config: config) { client in
            let answer = try? await way.call(client)
            #expect(answer == (way == .unary ? way.answer : nil))
        }
        #expect(echo.calls.map(\.credential) == credentials)
    }

    @Test func `errors distinguish a needed sign-in from a later retry`() async throws {
        let signedOut = Auth.holdingA(ScriptedTokenService())
        await signedOut.reset()
        let offline = Auth.holdingA(ScriptedTokenService(.failure(Offline())))
        let texts = [
            (signedOut, "sign in"), (offline, "later"), (Auth.holdingA(ScriptedTokenService(.token("b"))), "hello"),
        ]
        for (auth, text) in texts {
            try await withEcho(EchoService(accepting: "Bearer b"), auth) { client in
                let answer = try await greeting(from: client)
                #expect(answer == text)
            }
        }
    }

    @Test func `the caller opens a long stream again`() async throws {
        let messages = (0..<200).map { Message("\($0)") }
        let echo = EchoService(accepting: "Bearer b", otherwise: .afterMessages(messages.count))
        try await withEcho(echo, Auth.holdingA(ScriptedTokenService(.token("b")))) { client in
            let answers = try await send(messages, to: client)
            #expect(answers == messages)
        }
        #expect(echo.calls.map(\.credential) == ["Bearer a", "Bearer b"])
    }
}

// sample: client
func makeClient(
    authorizedBy auth: some AuthorizationProvider
) throws -> GRPCClient<HTTP2ClientTransport.Posix> {
    let transport = try HTTP2ClientTransport.Posix(
        target: .dns(host: "api.widgets.example"), transportSecurity: .tls,
        serviceConfig: .retryingUnauthenticated)
    let authorization = AuthorizationInterceptor(auth, origin: "https://api.widgets.example")
    return GRPCClient(transport: transport, interceptors: [authorization])
}
// end sample

private let careful: CallOptions = {
    // sample: options
    var options = CallOptions.defaults
    options.executionPolicy = .retryingUnauthenticated
    // end sample
    return options
}()

private let patient: ServiceConfig = {
    // sample: policy
    let patient = RetryPolicy(
        maxAttempts: 4, initialBackoff: .seconds(1), maxBackoff: .seconds(10), backoffMultiplier: 2,
        retryableStatusCodes: [.unavailable, .unauthenticated])
    let config = ServiceConfig(methodConfig: [
        MethodConfig(names: [.init(service: "widgets.Widgets")], executionPolicy: .retry(patient)),
        MethodConfig(names: [.init(service: "")], executionPolicy: .retryingUnauthenticated),
    ])
    // end sample
    return config
}()

private let uploading: ServiceConfig = {
    // sample: streams
    let config = ServiceConfig(methodConfig: [
        MethodConfig(names: [.init(service: "widgets.Widgets", method: "Upload")]),
        MethodConfig(names: [.init(service: "")], executionPolicy: .retryingUnauthenticated),
    ])
    // end sample
    return config
}()

private func hello(_ client: Client) async throws -> String {
    String(decoding: try await Way.unary.call(client)[0], as: UTF8.self)
}

// sample: errors
private func greeting(from client: Client) async throws -> String {
    do {
        return try await hello(client)
    } catch let error as RPCError where (error.cause as? NotAuthorized)?.needsSignIn == true {
        return "sign in"
    } catch let error as RPCError where error.cause is RefreshFailed {
        return "later"
    }
}
// end sample

private func stream(_ messages: [Message], to client: Client) async throws -> [Message] {
    try await Way.bidirectional.call(client, messages)
}

// sample: again
private func send(_ messages: [Message], to client: Client) async throws -> [Message] {
    do {
        return try await stream(messages, to: client)
    } catch let error as RPCError where error.code == .unauthenticated && error.isWorthAnotherTry {
        return try await stream(messages, to: client)
    }
}

extension RPCError {
    fileprivate var isWorthAnotherTry: Bool { metadata[stringValues: "grpc-retry-pushback-ms"].contains("0") }
}
// end sample
#endif
