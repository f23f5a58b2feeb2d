// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationURLSession
import Testing

@testable import RequestAuthorizationTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each check detects a transport with one defect.
@Suite(.timeLimit(.minutes(5))) struct TokenTransportChecksTests {
    @Test func `URLSession passes`() async throws {
        try await TokenTransportChecks { URLSession(configuration: .default) }.run()
    }

    @Test(arguments: [
        (BrokenTransport.Defect.losesBody, "sends a request as it is given", "sent another body"),
        (.losesField, "sends a request as it is given", "sent [] as X-Probe in place of a, b"),
        (.changesMethod, "sends a request as it is given", "sent POST /token?x=1 HTTP/1.1"),
        (.throwsForErrors, "returns each answer, whatever its status", "threw TokenTransportError"),
        (.losesAnswerFields, "returns each answer, whatever its status", "returned [] as X-Probe of 200"),
        (.losesAnswerBody, "returns each answer, whatever its status", "returned another body of 400"),
        (.followsRedirects, "follows no redirect", "followed a 301"),
        (.keepsCookies, "keeps no cookies", "sent a cookie"),
        (.keepsAnswers, "keeps no answers", "returned an earlier answer"),
        (
            .sendsAgain, "sends a request once, also over a connection that was used before",
            "sent the request 2 times"
        ),
        (.mixesAnswers, "gives each of many requests its own answer", "returned the answer to another request"),
        (.takesAnyLength, "stops an answer that is too long", "returned 200 ("),
        (.refusesTheLongest, "returns an answer of exactly the allowed length", "threw TokenTransportError"),
        (.returnsHalfAnswers, "says that an answer broke off", "returned 200 (0 bytes) in place of an error"),
        (.throwsErrorsOfItsClient, "ends after its time-out", "threw "),
        (.sendsAgainWhenLate, "ends after its time-out", "sent the request 2 times"),
        (.saysUnsent, "says that an answer broke off", "threw .notSent in place of .mayHaveBeenProcessed"),
        (
            .saysSent, "says that nothing was sent to a server that cannot be reached",
            "threw .mayHaveBeenProcessed in place of .notSent"
        ),
        (.hidesCancellation, "ends when its task is cancelled", "threw TokenTransportError in place of Cancellation"),
        (.isDeafToEarlierCancellation, "ends when its task was cancelled before", "threw TokenTransportError in place"),
    ])
    func `a defect fails its check`(_ defect: BrokenTransport.Defect, _ check: String, _ problem: String) async {
        let found = await failures { try await TokenTransportChecks { BrokenTransport(defect) }.run() }
        #expect(found.first { $0.check == check }?.problem.hasPrefix(problem) == true, "\(found)")
    }

    @Test(arguments: [
        (BrokenTransport.Defect.readsToTheEnd, "stops an answer that is too long"),
        (.timesOutWhenIdle, "ends after its time-out"),
    ])
    func `a transport that waits for the end of an answer fails`(
        _ defect: BrokenTransport.Defect, _ check: String
    ) async {
        let found = await failures {
            try await TokenTransportChecks(limit: .seconds(15)) { BrokenTransport(defect) }.run()
        }
        #expect(found.first { $0.check == check }?.problem == "has not ended after 15.0 seconds", "\(found)")
    }

    @Test(arguments: ["Content-Length: -1\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n-5\r\n\r\n"])
    func `a negative length does not end the process of the checks`(rest: String) {
        var bytes = Array("POST /token HTTP/1.1\r\n\(rest)".utf8)
        let request = ProbeRequestMessage(takenFrom: &bytes)
        #expect(request?.body ?? [] == [])
    }
}
