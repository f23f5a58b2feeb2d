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

    @Test func `a move is visible in all mappings of the page`() throws {
        try withFile { url in
            let parent = try ClockPage(creating: url)
            let child = try ClockPage(opening: url)
            parent.advance(by: .seconds(3600))
            expectMove(of: 3600) { child.now }
            // A later mapping sees it too.
            let late = try ClockPage(opening: url)
            expectMove(of: 3600) { late.now }
        }
    }

    @Test func `a move does not end a time-out`() throws {
        try withFile { url in
            let page = try ClockPage(creating: url)
            let start = ContinuousClock.now
            let before = page.uptime
            page.advance(by: .seconds(3600))
            // The uptime advanced no more than the machine's own time.
            let passed = page.uptime - before
            #expect(passed <= ContinuousClock.now - start)
        }
    }

    /// Checks that the moved time lies between the machine's times before and after, plus the offset.
    private func expectMove(of seconds: Double, now: () -> Date) {
        let (before, moved, after) = (Date.now, now(), Date.now)
        #expect((before + seconds...after + seconds).contains(moved))
    }

    @Test func `an existing page is not replaced, and a missing page cannot be opened`() throws {
        try withFile { url in
            #expect(throws: SystemError.self) { try ClockPage(opening: url) }
            let page = try ClockPage(creating: url)
            page.advance(by: .seconds(1))
            #expect(throws: SystemError.self) { try ClockPage(creating: url) }
        }
    }
}
