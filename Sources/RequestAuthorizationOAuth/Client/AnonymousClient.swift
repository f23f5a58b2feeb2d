// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends nothing about the client, for grants that need no client: a signed assertion names its issuer.
struct AnonymousClient: ClientAuthenticator {
    var isPublic: Bool { true }

    func authenticate(_ request: ClientRequest) -> ClientProof { ClientProof() }
}
