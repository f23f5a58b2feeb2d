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
            let before = child.now
            parent.advance(by: .seconds(3600))
            #expect(child.now.timeIntervalSince(before) >= 3600)
            #expect(child.now.timeIntervalSince(before) < 3660)
            // Whoever comes later sees it too.
            #expect(try ClockPage(opening: url).now.timeIntervalSince(before) >= 3600)
        }
    }

    @Test func `no move of it lets a time-out strike`() throws {
        try withFile { url in
            let page = try ClockPage(creating: url)
            let before = page.uptime
            page.advance(by: .seconds(3600))
            #expect(page.uptime - before < .seconds(60))
        }
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
