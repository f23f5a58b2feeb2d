// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Credential {
    /// Waits for the next credential, which must be of the same session, for a client that sends again by itself.
    package func awaitSuccessor(
        for request: some AuthorizableRequest, from provider: any AuthorizationProvider
    ) async throws {
        let proof = contents?.receipt as? any ProvenReceipt
        if try await proof?.awaitSuccessor(from: provider) == true { return }
        try allowsToGoOn(with: await provider.credential(for: request))
    }
}
