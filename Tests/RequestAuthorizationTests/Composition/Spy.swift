// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Records its calls; checks nothing.
@MainActor final class Spy {
    private(set) var log: [String] = []
}

extension Spy: AuthorizationProvider {
    @MainActor func credential(for request: some AuthorizableRequest) async throws -> Credential {
        let origin = request.origin?.description ?? "nowhere"
        log.append("authorize \(origin)")
        return try .bearer("spy") { response in
            await self.note("refused \(origin): \(response.challenges.map(\.scheme).joined(separator: ", "))")
            return .anew
        }
    }

    private func note(_ entry: String) { log.append(entry) }
}
