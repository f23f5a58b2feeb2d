// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import Testing

@testable import RequestAuthorizationOAuth

/// The port and the path of the redirect URI, for clients that register themselves.
@Suite(.timeLimit(.minutes(5))) struct LoopbackPortTests {
    #if os(Linux)
    @Test(arguments: [LoopbackReceiver.Address.ipv4, .ipv6])
    func `the redirect URI of the last sign-in is used again`(address: LoopbackReceiver.Address) async throws {
        // Linux lets a server listen on a port that is held without a listener.
        try await withHeldPort(on: [address == .ipv4 ? "127.0.0.1" : "::1"]) { port in
            let last = "http://\(address.literal):\(port.number)/callback"
            let callback = try await withReception(.loopback(address: address).preferring(last)) { reception in
                #expect(reception.redirectURI == last)
                try await reception.end()
            }
            #expect(callback.absoluteString.hasPrefix("\(last)?"))
        }
    }
    #endif

    @Test func `if its port is taken, it is another one`() async throws {
        _ = try await withReception { first in
            let callback = try await withReception(.loopback.preferring(first.redirectURI)) { second in
                #expect(second.port != first.port && second.port != 0)
                try await second.end()
            }
            #expect(!callback.absoluteString.hasPrefix(first.redirectURI))
            try await first.end()
        }
    }

    @Test func `the redirect URI of another receiver changes nothing`() {
        let others = [
            "", "http://127.0.0.1:/callback", "http://127.0.0.1/callback", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:70000/callback", "http://127.0.0.1:+80/callback", "http://127.0.0.1:080/callback",
            "http://127.0.0.1:8080/other", "http://127.0.0.1:8080/callback?x=1", "http://[::1]:8080/callback",
            "https://127.0.0.1:8080/callback", "http://localhost:8080/callback", "http://127.0.0.1:80 /callback",
            "http://127.0.0.1:8080/evil/callback", "com.example.app:/callback", "http://127.0.0.1:callback",
        ]
        for uri in others { #expect(LoopbackReceiver.loopback.preferring(uri) == .loopback, "\(uri)") }
        let fixed = LoopbackReceiver(port: 8080)
        #expect(fixed.preferring("http://127.0.0.1:9090/callback") == fixed)
        #expect(LoopbackReceiver.loopback.preferring("http://127.0.0.1:9090/callback").ports == [9090, 0])
    }

    @Test func `a receiver that has nothing to choose stays as it is`() {
        struct Fixed: CallbackReceiver, Equatable {
            let number: Int

            func callback(
                for start: nonisolated(nonsending) @escaping @Sendable (String) async throws -> PendingSignIn,
                show: nonisolated(nonsending) @escaping @Sendable (URL) async throws -> Void
            ) async throws -> URL { throw CancellationError() }
        }
        let receiver = Fixed(number: 7)
        #expect(receiver.preferring("http://127.0.0.1:1/callback") == receiver)
        #expect(receiver.dedicated(to: "https://as.example") == receiver)
    }

    @Test func `RFC 9700 §4.4.2: the callback of another issuer's sign-in is refused`() async throws {
        let (one, two) = (
            LoopbackReceiver.loopback.dedicated(to: "https://one.example"),
            LoopbackReceiver.loopback.dedicated(to: "https://two.example")
        )
        #expect(one.path != two.path)
        #expect(one.path.hasPrefix("/callback/") && one.path.utf8.count == 22)
        #expect(one == LoopbackReceiver.loopback.dedicated(to: "https://one.example"))
        #expect(LoopbackReceiver(path: "/").dedicated(to: "https://one.example").path.utf8.count == 13)
        _ = try await withReception(one) { reception in
            let state = "state=\(PendingSignIn.stateForTests)"
            for (path, status) in [(two.path, 404), ("/callback", 404), (one.path, 200)] {
                let answer = try await reception.ask("\(path)?code=c0de&\(state)")
                #expect(answer.status == status)
            }
        }
        // Together: the port of the last sign-in at this issuer.
        let again = one.preferring("http://127.0.0.1:9090\(one.path)")
        #expect(again.ports == [9090, 0])
        #expect(one.preferring("http://127.0.0.1:9090\(two.path)") == one)
    }
}
#endif
