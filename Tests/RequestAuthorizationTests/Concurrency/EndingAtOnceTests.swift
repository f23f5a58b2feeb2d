// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

@Suite(.timeLimit(.minutes(5))) struct EndingAtOnceTests {
    @Test func `a cancelled wait throws, even if its work returns a value when it is cancelled`() async {
        let first = FirstResult<Int>()
        let wait = Task { try await first.value { first.land(.success(1)) } }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }
}
