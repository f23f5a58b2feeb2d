// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// Records events in order, and lets a test wait for them.
final class Journal<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        var watchers: [(count: Int, signal: OneShot<Void>)] = []
    }

    private let state = Lock(State())

    var all: [Entry] { state.withLock { $0.entries } }

    func add(_ entry: Entry) {
        let due = state.withLock { state in
            state.entries.append(entry)
            return state.watchers.filter { $0.count == state.entries.count }
        }
        for watcher in due { watcher.signal.fulfill() }
    }

    /// All entries, as soon as there are this many, or the test has run out of time.
    func reaches(_ count: Int) async -> [Entry] {
        let signal = OneShot<Void>()
        state.withLock { state in
            state.watchers.append((count, signal))
            if state.entries.count >= count { signal.fulfill() }
        }
        try? await signal.value()
        return all
    }
}

extension TokenChange<TestToken> {
    /// The name of the token, or why there is none.
    var label: String {
        switch self {
        case .tokenUpdated(let token): token.name
        case .tokenInvalidated(let error): error.reason.description
        }
    }
}

extension StoredToken<TestToken> {
    /// The first token of a session.
    static func keeping(_ content: Content) -> StoredToken {
        StoredToken(content, version: TokenVersion(session: UUID(), generation: 0), obtainedAt: ManualClock().now)
    }
}
