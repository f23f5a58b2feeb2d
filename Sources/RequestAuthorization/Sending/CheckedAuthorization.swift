// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider of anybody's, whose requests are looked at before they leave.
///
/// A request does not take a value that would break out of its line, and setting one cannot throw. Without a look at it, the
/// request would go out without its credential.
struct CheckedAuthorization<Provider: AuthorizationProvider>: AuthorizationProvider, RedactedDescription {
    let provider: Provider
    /// Ours check each value before they set it.
    private let isChecked: Bool

    init(_ provider: Provider) {
        self.provider = provider
        isChecked = provider is any ImmediateAuthorization
    }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        isChecked ? try await provider.authorize(request) : try await checked(request)
    }

    /// - Parameter isolation: the closure runs there too: a provider runs where its caller runs.
    private func checked<Request: AuthorizableRequest>(
        _ request: Request, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Request {
        let (fields, surrounding) = (CredentialFields(), CredentialFields.current)
        let authorized = try await CredentialFields.$current.withValue(fields) {
            _ = isolation
            return try await provider.authorize(request)
        }
        surrounding?.insert(fields.names)
        try fields.check(on: authorized)
        return authorized
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(
        _ response: UnauthorizedResponse, for request: Request
    ) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: request)
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        try await provider.setNeedsRefreshAfterUnauthorizedResponse(for: request)
    }
}

extension CredentialFields {
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/malformedCredential`` if a request did not take
    ///   a value, or if the usual field would be two on the wire: not every type of request refuses such a value.
    fileprivate func check(on authorized: some AuthorizableRequest) throws(NotAuthorized) {
        let breaksOut = authorized.credential(in: "Authorization")?.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }
        guard !hasRefusal, breaksOut != true else {
            throw NotAuthorized(
                .malformedCredential,
                detail: "the provider has set a header field whose name or value cannot stand in a header, such as one "
                    + "with a line feed")
        }
    }
}
