// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct WaiterTicketTests {
    @Test func `a ticket has no place before it is noted`() {
        #expect(WaiterTicket(.now, at: nil).place == nil)
    }

    @Test(arguments: [0, 1, 2, 3, 1_000_000], [Effect.Waiters.ordinary, .lasting])
    func `a ticket returns the noted place`(number: Int, kind: Effect.Waiters) {
        let ticket = WaiterTicket(.now, at: nil)
        ticket.note(number, in: kind)
        #expect(ticket.place?.number == number)
        #expect(ticket.place?.kind == kind)
    }
}
