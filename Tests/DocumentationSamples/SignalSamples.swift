// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import RequestAuthorizationTesting
import Testing

/// SIGWINCH stands in for the signals of the samples, because other tests of this process watch those.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SignalSamples {
    private let service = ScriptedTokenService<TestToken>(.held)
    private let store = InMemoryTokenStore<TestToken>()
    private let watched = OneShot<Void>()
    private let left = OneShot<Void>()

    @Test func `a tool that is interrupted stores its token first`() async throws {
        let auth = RefreshableTokenAuthorization(service: service, store: store, policy: .tool, clock: ManualClock())
        let run = work(auth)
        let driver = Task { try await self.interrupt() }
        let ended = Lock<Int32?>(nil)
        let exit: (Int32) -> Void = { status in ended.withLock { $0 = status } }
        func main() async throws {
            // sample: tool
            let command = Task { try await run() }
            let signals = whenAskedToEnd { command.cancel() }
            let result = await command.result
            let settled = await Task { try await auth.settle(within: .seconds(40)) }.result
            withExtendedLifetime(signals) {}
            if command.isCancelled { return exit(130) }  // so that a shell does not go on
            try result.get()
            try settled.get()
            // end sample
        }
        try await main()
        try await driver.value
        #expect(store.stored?.token?.name == "new")
        #expect(ended.withLock { $0 } == 130)
    }

    @Test func `a server that is asked to end stores its token first`() async throws {
        let auth = RefreshableTokenAuthorization(service: service, store: store, clock: ManualClock())
        let serve = work(auth)
        let driver = Task { try await self.interrupt() }
        // sample: server
        let server = Task { try await serve() }
        let signals = whenAskedToEnd {
            auth.stopBackgroundRefresh()
            server.cancel()  // or what lets your server drain
        }
        _ = await server.result
        try await auth.shutdown(within: .seconds(10))
        withExtendedLifetime(signals) {}
        // end sample
        try await driver.value
        #expect(store.stored?.token?.name == "new")
    }

    // MARK: -

    private func work(_ auth: RefreshableTokenAuthorization<TestToken>) -> @Sendable () async throws -> Void {
        { [left] in
            defer { left.fulfill() }
            _ = try await auth.validToken()
        }
    }

    private func whenAskedToEnd(_ handler: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        let sources = DocumentationSamples.whenAskedToEnd(by: [SIGWINCH], handler)
        for source in sources { source.setRegistrationHandler { [watched] in watched.fulfill() } }
        return sources
    }

    /// Sends the signal during the refresh, and answers once the request has left.
    private func interrupt() async throws {
        let call = try await service.nextCall()
        try await watched.value()
        kill(getpid(), SIGWINCH)
        try await left.value()
        #expect(store.stored == nil)
        call.succeed(TestToken("new"))
    }
}

// sample: signals
/// Calls a handler when the program is asked to end, for as long as the result is kept.
func whenAskedToEnd(
    by numbers: [Int32] = [SIGINT, SIGTERM], _ handler: @escaping @Sendable () -> Void
) -> [any DispatchSourceSignal] {
    numbers.map { number in
        #if canImport(Darwin)
        signal(number, SIG_IGN)  // Linux does not report a signal that is ignored.
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        source.activate()
        return source
    }
}
// end sample
