// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension SpotifyClient {
    /// The user who is signed in.
    public func currentUser() async throws -> User { try await answer(to: WebAPICall(path: "/v1/me")) }
}
