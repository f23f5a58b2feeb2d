// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Credential {
    /// Waits for the next credential, which must be of the same session, for a client that sends again by itself.
    package func awaitSuccessor(
        for request: some AuthorizableRequest, from provider: any AuthorizationProvider
    ) async throws {
        if let proof = contents?.receipt as? any ProvenReceipt { return try await proof.awaitSuccessor() }
        if isProven, isCurrent { return }  // A proof that nobody sends would use up what is meant for the next one.
        try allowsToGoOn(with: await provider.credential(for: request))
    }
}
