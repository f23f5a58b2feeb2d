// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import ProcessStress
import Testing

/// One clock for all processes.
@Suite struct ClockPageTests {
    private func withFile(_ body: (URL) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "clock-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url)
    }

    @Test func `a move is seen by everybody who has mapped the page`() throws {
        try withFile { url in
            let parent = try ClockPage(creating: url)
            let child = try ClockPage(opening: url)
            parent.advance(by: .seconds(3600))
            expectMove(of: 3600) { child.now }
            // Whoever comes later sees it too.
            let late = try ClockPage(opening: url)
            expectMove(of: 3600) { late.now }
        }
    }

    @Test func `no move of it lets a time-out strike`() throws {
        try withFile { url in
            let page = try ClockPage(creating: url)
            let start = ContinuousClock.now
            let before = page.uptime
            page.advance(by: .seconds(3600))
            // Of the uptime no more went by than of the machine's own time.
            let passed = page.uptime - before
            #expect(passed <= ContinuousClock.now - start)
        }
    }

    /// A time that was moved lies between those of the machine before and after, moved as far.
    private func expectMove(of seconds: Double, now: () -> Date) {
        let (before, moved, after) = (Date.now, now(), Date.now)
        #expect((before + seconds...after + seconds).contains(moved))
    }

    @Test func `a page that is there is not made anew, and one that is not there cannot be opened`() throws {
        try withFile { url in
            #expect(throws: SystemError.self) { try ClockPage(opening: url) }
            let page = try ClockPage(creating: url)
            page.advance(by: .seconds(1))
            #expect(throws: SystemError.self) { try ClockPage(creating: url) }
        }
    }
}
