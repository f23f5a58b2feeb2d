// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import LocalSpotify

@Suite struct `Pending faults` {
    @Test func `are injected in order, as often as requested, each for its own target`() {
        var plan = FaultPlan()
        plan.add(.status(500), on: .webAPI, times: 2)
        plan.add(.dropped, on: .tokenEndpoint, times: 1)
        plan.add(.hang, on: .webAPI, times: 1)

        let onAPI = (0..<4).map { _ in plan.next(on: .webAPI) }
        let onTokens = (0..<2).map { _ in plan.next(on: .tokenEndpoint) }

        #expect(onAPI == [.status(500), .status(500), .hang, nil])
        #expect(onTokens == [.dropped, nil])
    }

    @Test func `are removed by clear`() {
        var plan = FaultPlan()
        plan.add(.hang, on: .webAPI, times: 3)
        plan.clear()
        let fault = plan.next(on: .webAPI)
        #expect(fault == nil)
    }
}

@Suite struct `Forms` {
    @Test func `are decoded with plus, percent, ampersand and umlauts`() {
        #expect(
            Parameters("a=1+2%2B3&b=%26%3D%25&c=%C3%BC&d&e=x=y").values
                == ["a": "1 2+3", "b": "&=%", "c": "ü", "d": "", "e": "x=y"])
    }

    @Test func `may be malformed`() {
        #expect(Parameters("a=%zz&%zz=1&&=&a=2").values == ["a": "2", "": ""])
        #expect(Parameters("").values == [:])
    }
}
