// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

// What a server says of itself beside what has a place in `AuthorizationServer`, checked when it is read.
extension AuthorizationServer {
    /// Which ways of client authentication the server lists; `nil` if it lists none. What it does not list may work all the same.
    public var listedAuthenticationMethods: [String]? {
        metadataTexts("token_endpoint_auth_methods_supported")
    }

    /// With which algorithms a client may sign what proves it; `nil` if the server lists none.
    public var listedAuthenticationAlgorithms: [String]? {
        metadataTexts("token_endpoint_auth_signing_alg_values_supported")
    }

    /// With which algorithms proofs may be signed (RFC 9449 §5.1); `nil` if the server lists none.
    public var listedProofAlgorithms: [String]? { metadataTexts("dpop_signing_alg_values_supported") }

    /// A text of ``additionalMetadata``; `nil` if there is none of this name, or if it is no text.
    public func metadataText(_ name: String) -> String? {
        guard case .string(let text) = additionalMetadata[name], !text.isEmpty else { return nil }
        return text
    }

    /// A list of texts; `nil` if there is none of this name, or if something in it is no text.
    public func metadataTexts(_ name: String) -> [String]? {
        guard case .array(let values) = additionalMetadata[name] else { return nil }
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }

    /// Whether it says `true`.
    public func metadataFlag(_ name: String) -> Bool { additionalMetadata[name] == .bool(true) }

    /// An address that may be called: `https`, or `http` on this machine if the issuer is on it too; no fragment.
    ///
    ///     let url = try server.metadataEndpoint("userinfo_endpoint")
    ///
    /// - Throws: ``AuthorizationServerError`` that names the member.
    public func metadataEndpoint(_ name: String) throws -> URL {
        guard let text = metadataText(name) else {
            throw AuthorizationServerError(.missingEndpoint, member: name)
        }
        guard let url = URL(string: text) else { throw AuthorizationServerError(.notAURL, member: name) }
        try Self.check(url, named: name)
        try Self.checkLoopback(url, named: name, issuer: issuer)
        return url
    }

    /// What listens on this machine is not another machine's to name: requests would be forged to it.
    static func checkLoopback(_ url: URL, named name: String, issuer: String?) throws {
        let isHere = issuer.flatMap { URL(string: $0) }.flatMap { Origin($0) }?.isLoopback == true
        if !isHere, let origin = Origin(url), origin.scheme == "http", origin.isLoopback {
            throw AuthorizationServerError(.insecure, member: name)
        }
    }
}
