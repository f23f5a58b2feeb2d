// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

extension TokenVersion {
    private static let session = UUID()

    /// A version of the one session that tests share.
    static func test(_ generation: Int) -> TokenVersion { TokenVersion(session: session, generation: generation) }
}

extension StoredToken<TestToken> {
    /// The token of a generation.
    static func make(_ generation: Int, expiresAt: Date = .distantFuture) -> Self {
        StoredToken(
            .token(TestToken("test-credential-\(generation)", expiresAt: expiresAt)), version: .test(generation),
            obtainedAt: Date(timeIntervalSince1970: 1_800_000_000))
    }
}
