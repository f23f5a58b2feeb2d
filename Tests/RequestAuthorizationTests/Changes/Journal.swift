// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// Writes down what happens, in order, and lets a test wait for it.
final class Journal<Entry: Sendable>: Sendable {
    private let entries = Lock<[Entry]>([])
    private let tally = Tally()

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        tally.add()
    }

    /// All entries, as soon as there are so many.
    func reaches(_ count: Int) async -> [Entry] {
        await tally.reaches(count)
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
    /// The first of a session.
    static func keeping(_ content: Content) -> StoredToken {
        StoredToken(content, version: TokenVersion(session: UUID(), generation: 0), obtainedAt: ManualClock().now)
    }
}
