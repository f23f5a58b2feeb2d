// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An authenticator that adds to what another one sends for the client.
protocol AuthenticatorAround: ClientAuthenticator {
    var base: any ClientAuthenticator { get }
}

/// An authenticator that sends assertions which the platform replaces while the program runs.
protocol RenewedAssertions: ClientAuthenticator {
    /// The assertion as it is now.
    func assertion() async throws -> String

    /// The assertion in a proof of this authenticator.
    func assertion(in proof: ClientProof) -> String?

    /// Whether a refusal may be of the assertion.
    func concerns(_ answer: TokenEndpointError, to grantType: String) -> Bool

    /// The error for callers when the present assertion is refused.
    func error(for answer: TokenEndpointError) -> any Error
}

/// Remembers what was sent last, so that a refused assertion is sent again only if it has been replaced.
final class SentAssertion: AuthenticatorAround, RedactedDescription {
    let base: any ClientAuthenticator
    /// The authenticator with the assertion: the base, or one within it.
    private let platform: any RenewedAssertions
    private let last = Lock<String?>(nil)

    init(of platform: any RenewedAssertions, in base: any ClientAuthenticator) {
        (self.platform, self.base) = (platform, base)
    }

    var isPublic: Bool { base.isPublic }

    func authenticate(_ request: ClientRequest) async throws -> ClientProof {
        last.withLock { $0 = nil }
        let proof = try await base.authenticate(request)
        last.withLock { $0 = platform.assertion(in: proof) }
        return proof
    }

    /// Whether an error may be the answer to an assertion. If not, the base's proof for the request failed.
    var isSent: Bool { last.withLock { $0 != nil } }

    /// Whether the assertion has been replaced since it was sent.
    func isReplaced() async throws -> Bool { try await platform.assertion() != last.withLock { $0 } }
}
