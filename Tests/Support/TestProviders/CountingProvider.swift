// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

package import RequestAuthorization

/// Sets `Bearer 0`, and the next number after each reported 401.
package final class CountingProvider: AuthorizationProvider {
    private let count = Lock(0)

    package init() {}

    /// The number of reported 401s.
    package var refusals: Int { count.withLock { $0 } }

    package func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try .bearer("\(refusals)") { [count] _ in
            count.withLock { $0 += 1 }
            return .anew
        }
    }
}
