// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A client that says nothing of itself, where the grant says all that there is to say: a signed assertion names its issuer.
struct AnonymousClient: ClientAuthenticator {
    var isPublic: Bool { true }

    func authenticate(_ request: ClientRequest) -> ClientProof { ClientProof() }
}
