// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

/// The failures that checks have found.
func failures(_ body: () async throws -> Void) async -> [ChecksFailed.Failure] {
    do {
        try await body()
        return []
    } catch let error as ChecksFailed {
        return error.failures
    } catch {
        Issue.record(error)
        return []
    }
}
