// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct WaiterTicketTests {
    @Test func `a ticket has no place before it is noted`() {
        #expect(WaiterTicket(.now, at: nil).place == nil)
    }

    @Test(arguments: [0, 1, 2, 3, 1_000_000])
    func `a ticket returns the noted place`(number: Int) {
        let ticket = WaiterTicket(.now, at: nil)
        ticket.note(number)
        #expect(ticket.place == number)
    }
}
