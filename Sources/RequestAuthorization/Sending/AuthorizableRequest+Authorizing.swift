// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizableRequest {
    /// Puts the provider's credential on this request. Waits for one if needed.
    ///
    ///     try await request.authorize(using: .bearer("ABC"))
    ///
    /// For a stored property or a top-level `var` write `request = try await request.authorized(using: provider)`.
    ///
    /// - Throws: what ``AuthorizationProvider/authorize(_:)`` throws; ``NotAuthorized`` with the reason
    ///   ``NotAuthorized/Reason/malformedCredential`` if the provider has set what no header can hold. The request is
    ///   unchanged then.
    public mutating func authorize(using provider: some AuthorizationProvider) async throws {
        self = try await provider.authorizeChecked(self)
    }

    /// Returns this request with the provider's credential. Waits for one if needed.
    ///
    /// - Throws: what ``authorize(using:)`` throws.
    public func authorized(using provider: some AuthorizationProvider) async throws -> Self {
        try await provider.authorizeChecked(self)
    }
}

extension AuthorizableRequest {
    /// Refuses a credential for a request that others on the network could read (RFC 6750 §5.3, RFC 7617 §4).
    ///
    /// The error has no static type: otherwise each waiting request would keep memory for it.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/insecureTransport``.
    package func refusePlaintext() throws {
        guard isPlaintext else { return }
        let detail =
            if let origin {
                "\(origin) is not encrypted: use https, or allow it by name with restricted(to:allowingPlaintext:)"
            } else {
                "the request has no origin: its type must provide one, or say that the request is encrypted"
            }
        throw NotAuthorized(.insecureTransport, detail: detail)
    }
}
