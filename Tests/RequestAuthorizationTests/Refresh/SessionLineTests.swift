// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

/// Which requests may be sent again, by the credential that they were sent with.
struct SessionLineTests {
    @Test func `a request of a former session is not sent again, also after further sessions`() {
        let bench = RefreshStateBench.make()
        let tokens = (1...3).map { bench.held($0, session: ExploredWorld.session($0)) }
        var line = SessionLine(ExploredWorld.session(1))
        line.note(tokens[0])
        #expect(tokens.allSatisfy { line.includes($0.header) })  // Nobody else has been signed in.
        for (index, token) in tokens.enumerated().dropFirst() {
            line.note(token)
            #expect(tokens.map { line.includes($0.header) } == tokens.indices.map { $0 == index })
        }
        #expect(line.includes(nil))
    }
}
