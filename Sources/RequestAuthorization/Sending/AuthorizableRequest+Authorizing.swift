// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizableRequest {
    /// Puts the provider's credential on this request. Waits for one if needed.
    ///
    ///     try await request.authorize(using: .bearer("ABC"))
    ///
    /// For a stored property or a top-level `var` write `request = try await request.authorized(using: provider)`.
    ///
    /// - Throws: what ``AuthorizationProvider/credential(for:)`` and ``set(_:)`` throw. The request is unchanged then.
    @inlinable @inline(__always)
    public mutating func authorize(using provider: some AuthorizationProvider) async throws {
        if let credential = try provider.credentialAtHand(for: self) { return try set(credential) }
        try set(await provider.credential(for: self))
    }

    /// Returns this request with the provider's credential. Waits for one if needed.
    ///
    /// - Throws: what ``authorize(using:)`` throws.
    @inlinable public func authorized(using provider: some AuthorizationProvider) async throws -> Self {
        try await provider.authorize(self)
    }
}

extension AuthorizationProvider {
    /// Returns a copy of a request with the credential. Waits for one if needed.
    ///
    /// - Throws: what ``credential(for:)`` throws; ``NotAuthorized`` with the reason
    ///   ``NotAuthorized/Reason/insecureTransport`` if the request is not encrypted.
    @inlinable @inline(__always)
    public func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        var request = request
        try await request.authorize(using: self)
        return request
    }
}
