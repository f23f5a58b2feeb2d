// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorization
import RequestAuthorizationPostgreSQL
import RequestAuthorizationTesting

extension TokenVersion {
    /// A version of the one session of the tests.
    static func make(_ generation: Int) -> TokenVersion {
        TokenVersion(
            session: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), generation: generation)
    }
}

extension Date {
    static var moment: Date { Date(timeIntervalSince1970: 1_800_000_000.25) }
}

extension StoredToken<TestToken> {
    static func make(_ name: String, _ generation: Int = 0) -> StoredToken {
        StoredToken(.token(TestToken(name)), version: .make(generation), obtainedAt: .moment)
    }
}

extension TokenSaveCondition {
    /// Saves as a refresh saves its token.
    static func older(than generation: Int) -> TokenSaveCondition {
        .older(session: TokenVersion.make(0).session, generation: generation)
    }
}
/// 1, 2, 3, ….
final class Numbers: Sendable {
    private let last = Lock(0)
    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
#endif
