// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Each check detects a provider with one defect.
struct AuthorizationProviderChecksTests {
    typealias Defect = BrokenAuthorization.Defect

    private static let setsOne = "sets a credential and leaves other fields alone"
    private static let replaces = "replaces an earlier credential"
    private static let concurrent = "authorizes 1000 requests at a time"
    private static let cancelled = "treats a cancelled call as cancelled"
    private static let plaintext = "refuses plain http"
    private static let redacted = "does not show its credential"
    private static let unauthorized = "answers a 401 with NotAuthorized or another try"
    private static let atHand = "has the same fields at hand"
    private static let oneRequest = "says what is for one request"

    @Test(arguments: [
        (Defect.setsNothing, setsOne, "set no header field"),
        (.touchesOtherFields, setsOne, "set the field User-Agent, which is not a credential"),
        (.sendsLineFeed, setsOne, "threw not authorized: malformed credential (the value has a carriage return"),
        (.sendsEmptyValue, setsOne, "threw not authorized: malformed credential (the value is empty"),
        (.takesCancellationForSignedOut, cancelled, "threw not authorized: signed out; sign in"),
    ])
    func `a defect that several checks detect is named`(_ defect: Defect, _ check: String, _ problem: String) async {
        let failures = await failures { try await AuthorizationProviderChecks { BrokenAuthorization(defect) }.run() }
        #expect(failures.first { $0.check == check }?.problem.hasPrefix(problem) == true, "\(failures)")
    }

    @Test(arguments: [
        (Defect.addsToTheField, replaces, "added to the field authorization and did not replace it"),
        (.wearsOut, concurrent, "threw Unexpected"),
        (.takesCancellationForSignedOut, cancelled, "threw not authorized: signed out; sign in"),
        (.asksForSignInOverPlaintext, plaintext, "asked for a sign-in, which would not help"),
        (.showsInDescription, redacted, "its description shows the credential"),
        (.showsInDebugDescription, redacted, "its debugDescription shows the credential"),
        (.showsInMirror, redacted, "its dump shows the credential"),
        (.showsPassword, redacted, "its description shows the credential"),
        (.promisesAndFails, unauthorized, "threw not authorized: no token; sign in"),
        (.promisesAndSendsNothing, unauthorized, "set no header field"),
        (.promisesAndRepeats, unauthorized, "promised another credential and sent the same one"),
        (.showsInError, unauthorized, "the error shows the credential"),
        (.throwsAnotherError, unauthorized, "threw Unexpected"),
        (.hasOthersAtHand, atHand, "sets other fields with credentialAtHand(for:) than with credential(for:)"),
        (.hidesThatItSigns, oneRequest, "depends on the target, and isForOneRequest is false"),
    ])
    func `a single defect fails a single check`(_ defect: Defect, _ check: String, _ problem: String) async {
        let failures = await failures { try await AuthorizationProviderChecks { BrokenAuthorization(defect) }.run() }
        #expect(failures.map(\.description) == ["\(check): \(problem)"])
    }

    @Test func `a provider that uses one of several keys in turn passes`() async throws {
        try await AuthorizationProviderChecks {
            let calls = Lock(0)
            return ClosureAuthorization(field: "X-Api-Key") {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                return call % 3 == 0 ? "the-other-key" : "a-key-of-mine"
            }
        }.run()
    }

    @Test func `a provider that refuses plain http although it should allow it fails`() async {
        let failures = await failures {
            try await AuthorizationProviderChecks(allowsPlaintext: true) { BrokenAuthorization(.refusesPlaintext) }
                .run()
        }
        #expect(
            failures.map(\.description) == ["allows plain http: threw not authorized: insecure transport; use https"])
    }

    @Test func `a provider that hangs fails, and does not hang the checks`() async {
        let clock = ManualClock()
        let checks = Task {
            await failures {
                try await AuthorizationProviderChecks(limit: .seconds(5), clock: clock) { BrokenAuthorization(.hangs) }
                    .run()
            }
        }
        for _ in 1...9 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(5))
        }
        #expect(await checks.value.map(\.problem) == Array(repeating: "has not ended after 5.0 seconds", count: 9))
    }

    @Test func `a provider that waits on after cancellation fails`() async throws {
        let clock = ManualClock()
        let deaf = ScriptedTokenService<TestToken>(.heldIgnoringCancellation)
        let checks = Task {
            await failures {
                try await AuthorizationProviderChecks(
                    limit: .seconds(5), clock: clock, waiting: { ServiceAuthorization(service: deaf) }
                ) {
                    ServiceAuthorization(service: ScriptedTokenService(forever: .numberedToken()))
                }.run()
            }
        }
        let call = try await deaf.nextCall()
        await call.cancellation()
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(
            await checks.value.map(\.description) == [
                "stops waiting when cancelled: has not ended after 5.0 seconds"
            ])
        call.fail(CancellationError())
    }

    @Test(.timeLimit(.minutes(5)))
    func `a provider that looks for a cancellation only before it waits fails`() async throws {
        let clock = ManualClock()
        let deaf = ScriptedTokenService<TestToken>(.heldIgnoringCancellation)
        // The first one is cancelled at once.
        let services = Lock([deaf, ScriptedTokenService(.held)])
        let checks = Task {
            await failures {
                try await AuthorizationProviderChecks(
                    limit: .seconds(5), clock: clock,
                    waiting: {
                        ServiceAuthorization(service: try #require(services.withLock { $0.popLast() }))
                    }
                ) {
                    ServiceAuthorization(service: ScriptedTokenService(forever: .numberedToken()))
                }.run()
            }
        }
        let call = try await deaf.nextCall()
        await clock.sleeper(for: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        await call.cancellation()
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(
            await checks.value.map(\.description) == [
                "stops waiting when cancelled: has not ended after 5.0 seconds"
            ])
        call.fail(CancellationError())
    }

    @Test func `a provider that does not wait where it should fails`() async {
        let failures = await failures {
            try await AuthorizationProviderChecks(waiting: { .bearer("at-hand") }) { .bearer("at-hand") }.run()
        }
        #expect(
            failures.map(\.description) == [
                "stops waiting when cancelled: had a credential, but should have waited for one"
            ])
    }

    @Test func `the error names the type, the number of checks and each failure, and no credential`() async {
        let error = await #expect(throws: ChecksFailed.self) {
            try await AuthorizationProviderChecks { BrokenAuthorization(.showsInDescription) }.run()
        }
        #expect(
            error?.description == """
                BrokenAuthorization fails 1 of 9 checks:
                - does not show its credential: its description shows the credential
                """)
    }

    @Test func `no description of the error shows the thrown error`() async throws {
        struct Talkative: Error { let credential = "a-secret" }
        let error = await #expect(throws: ChecksFailed.self) {
            try await AuthorizationProviderChecks { ClosureAuthorization { _ in throw Talkative() } }.run()
        }
        let underlying = try #require(error?.failures.first?.underlying)
        #expect(underlying is Talkative)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("a-secret"))
        #expect(dumped.contains("threw Talkative"))
    }

    @Test func `checks that are cancelled end with a CancellationError`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await AuthorizationProviderChecks { .bearer("at-hand") }.run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// Calls its service each time.
private struct ServiceAuthorization: AuthorizationProvider, CustomReflectable {
    let service: ScriptedTokenService<TestToken>
    var customMirror: Mirror { Mirror(self, children: []) }

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try Credential(try await service.initialToken().authorizationHeaderValue)
    }
}
