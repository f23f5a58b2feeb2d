// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A provider whose credential is made once and always the same.
@usableFromInline protocol ConstantAuthorization: AuthorizationProvider {
    var constant: ConstantCredential { get }
}

extension ConstantAuthorization {
    public func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try constant.get(for: request)
    }

    /// Inlined into each provider: otherwise each call would copy the constant from behind the protocol.
    @inline(__always)
    public func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        try constant.get(for: request)
    }
}
