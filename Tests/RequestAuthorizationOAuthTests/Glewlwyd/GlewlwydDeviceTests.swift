// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationTesting
import Testing

/// Sign-in on another device. The server uses the real time, so the tests wait for it.
@Suite(.enabled(if: Glewlwyd.isThere, Glewlwyd.how), .glewlwyd(), .serialized, .timeLimit(.minutes(5)))
struct GlewlwydDeviceTests {
    @Test(arguments: Carrier.allCases)
    func `a user allows it on another device`(carrier: Carrier) async throws {
        let bench = try await GlewlwydBench(carrier)
        let service = OAuthTokenService.device(
            server: bench.metadata, client: GlewlwydBench.web, transport: bench.transport)
        let device = try await service.deviceSignIn(scopes: ["read"])
        #expect(device.host == "localhost")
        #expect(device.verificationURI.absoluteString == bench.server.issuer + "/device")
        #expect(device.instructions.contains(device.userCode))
        try await GlewlwydPerson(at: bench.server).enter(device.userCode)
        let token = try await device.token()
        #expect(token.scopes == ["read"])
        #expect(token.refreshToken != nil)
        #expect(try await bench.introspection(of: token).isActive)
    }

    @Test func `a client that polls too often gets slow_down, and obeys`() async throws {
        let bench = try await GlewlwydBench()
        let service = OAuthTokenService.device(
            server: bench.metadata, client: .public(id: "native"), transport: bench.transport, clock: bench.clock)
        var steps = try await service.deviceSignIn(scopes: ["read"]).progress.makeAsyncIterator()
        #expect(try await steps.next() == .waiting(.seconds(2)))
        // For the client two seconds pass at once, for the server none, unless it is very busy.
        let passing = Task { [clock = bench.clock] in while !Task.isCancelled { await clock.pass(2) } }
        defer { passing.cancel() }
        var step = try await steps.next()
        #expect(step == .waiting(.seconds(2)))
        while step == .waiting(.seconds(2)) { step = try await steps.next() }
        #expect(step == .slowedDown(.seconds(7)))
    }

    @Test func `a client without permission is refused at the start`() async throws {
        let bench = try await GlewlwydBench()
        let service = OAuthTokenService.device(
            server: bench.metadata, client: .public(id: "nobody"), transport: bench.transport)
        let error = await #expect(throws: TokenEndpointError.self) {
            try await service.deviceSignIn(scopes: ["read"])
        }
        #expect(error?.kind != .transient)
    }
}

extension ManualClock {
    /// Advances the clock by this many seconds for the next sleeper.
    fileprivate func pass(_ seconds: Int) async {
        await sleepers(1)
        advance(by: .seconds(seconds))
    }
}
#endif
