// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Credential {
    /// Waits for the next credential, which must be of the same session, for a client that sends again by itself.
    package func awaitSuccessor(
        for request: some AuthorizableRequest, from provider: any AuthorizationProvider
    ) async throws {
        try allowsToGoOn(with: await provider.credential(for: ComparedRequest(request: request)))
    }
}

/// A proof that nobody sends would use up what is meant for the next one: the turn at the server, the corrected time.
struct ComparedRequest<Request: AuthorizableRequest>: RequestView {
    var request: Request

    var isForComparison: Bool { true }
}
