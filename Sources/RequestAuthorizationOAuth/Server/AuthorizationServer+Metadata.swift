// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

// Reads members of the metadata that have no property. Each is checked when it is read.
extension AuthorizationServer {
    /// The methods of client authentication that the server lists; `nil` if it lists none. Other methods may work too.
    public var listedAuthenticationMethods: [String]? {
        metadataTexts("token_endpoint_auth_methods_supported")
    }

    /// The algorithms with which a client may sign its assertions; `nil` if the server lists none.
    public var listedAuthenticationAlgorithms: [String]? {
        metadataTexts("token_endpoint_auth_signing_alg_values_supported")
    }

    /// The algorithms with which proofs may be signed (RFC 9449 §5.1); `nil` if the server lists none.
    public var listedProofAlgorithms: [String]? { metadataTexts("dpop_signing_alg_values_supported") }

    /// A text of ``additionalMetadata``; `nil` if the member is missing, empty, or not a text.
    public func metadataText(_ name: String) -> String? {
        guard case .string(let text) = additionalMetadata[name], !text.isEmpty else { return nil }
        return text
    }

    /// A list of texts of ``additionalMetadata``; `nil` if the member is missing, or not a list of texts.
    public func metadataTexts(_ name: String) -> [String]? {
        guard case .array(let values) = additionalMetadata[name] else { return nil }
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }

    /// Whether a member of ``additionalMetadata`` is `true`.
    public func metadataFlag(_ name: String) -> Bool { additionalMetadata[name] == .bool(true) }

    /// The URL of an endpoint: `https`, or `http` on loopback if the issuer is on loopback too; without fragment.
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

    /// Throws if another machine's metadata name an endpoint on loopback, to which it could forge requests.
    static func checkLoopback(_ url: URL, named name: String, issuer: String?) throws {
        let isHere = issuer.flatMap { URL(string: $0) }.flatMap { Origin($0) }?.isLoopback == true
        if !isHere, let origin = Origin(url), origin.scheme == "http", origin.isLoopback {
            throw AuthorizationServerError(.insecure, member: name)
        }
    }
}
