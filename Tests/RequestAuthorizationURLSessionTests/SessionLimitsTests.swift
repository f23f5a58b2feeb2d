// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Testing

@testable import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct SessionLimitsTests {
    /// Seconds: the requested time-out, the one for `URLSession`, and the one that the package keeps itself.
    @Test(arguments: [
        (request: 0.5, session: 60.0, given: 1.0, own: 0.5), (0.5, 0.2, 1, 0.5), (1.5, 60, 2, nil), (3, 60, 3, nil),
        (60, 60, 60, nil), (60, 0.25, 1, 0.25), (60, 7, 60, nil), (90, 7, 90, nil), (0, 60, 0, nil),
    ])
    func `a time-out is given to URLSession in whole seconds, and kept by the package where that is too long`(
        interval: (request: Double, session: Double, given: Double, own: Double?)
    ) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = interval.session
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        if interval.request != 60 { request.timeoutInterval = interval.request }
        let (applied, own) = SessionLimits(SessionSettings(configuration)).applied(to: request)
        #expect(applied.timeoutInterval == interval.given)
        #expect(own == interval.own)
    }

    @Test func `the limit for the whole call counts down, and the shorter limit is kept`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 10
        let limits = SessionLimits(SessionSettings(configuration))
        let end = try #require(limits.end)
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        #expect(limits.applied(to: request, now: end - .seconds(10)).1 == 10)
        #expect(limits.applied(to: request, now: end - .seconds(3)).1 == 3)
        #expect(limits.applied(to: request, now: end + .seconds(3)).1 == -3)
        request.timeoutInterval = 0.5
        #expect(limits.applied(to: request, now: end - .seconds(3)).1 == 0.5)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1e300, 1e19])
    func `absurd time-outs do not end the program`(seconds: Double) throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = seconds
        configuration.timeoutIntervalForResource = seconds
        let limits = SessionLimits(SessionSettings(configuration))
        var request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
        #expect(limits.applied(to: request).0.timeoutInterval.magnitude <= Duration.ages / .seconds(1))
        request.timeoutInterval = seconds
        #expect(limits.applied(to: request).0.timeoutInterval.magnitude <= Duration.ages / .seconds(1))
    }

    @Test func `a session without a limit for the whole call needs no timer`() {
        #expect(SessionLimits(SessionSettings(.ephemeral)).end == nil)
    }
}
