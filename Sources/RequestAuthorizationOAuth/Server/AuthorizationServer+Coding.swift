// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizationServer: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case issuer
        case requiresPushedAuthorizationRequests = "require_pushed_authorization_requests"
        case announcesIssuer = "authorization_response_iss_parameter_supported"
        case quirks
    }

    /// The names of the members that have a property.
    static let ownMembers = Set(CodingKeys.allCases.map(\.rawValue)).union(endpoints.map(\.name))

    /// Decodes an encoded server, or a server's metadata (RFC 8414 §2).
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool { try values.decodeIfPresent(Bool.self, forKey: key) ?? false }
        let all = try decoder.container(keyedBy: JSONValue.Name.self)
        let additional = try all.allKeys.filter { !Self.ownMembers.contains($0.stringValue) }
            .reduce(into: [:]) { $0[$1.stringValue] = try all.decode(JSONValue.self, forKey: $1) }
        self.init(
            issuer: try values.decodeIfPresent(String.self, forKey: .issuer),
            requiresPushedAuthorizationRequests: try flag(.requiresPushedAuthorizationRequests),
            announcesIssuer: try flag(.announcesIssuer),
            quirks: try values.decodeIfPresent(ServerQuirks.self, forKey: .quirks) ?? ServerQuirks(),
            additionalMetadata: additional)
        for (name, path) in Self.endpoints {
            self[keyPath: path] = try all.decodeIfPresent(URL.self, forKey: JSONValue.Name(stringValue: name))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(issuer, forKey: .issuer)
        if requiresPushedAuthorizationRequests { try values.encode(true, forKey: .requiresPushedAuthorizationRequests) }
        try values.encode(announcesIssuer, forKey: .announcesIssuer)
        try values.encode(quirks, forKey: .quirks)
        var all = encoder.container(keyedBy: JSONValue.Name.self)
        for (name, path) in Self.endpoints {
            try all.encodeIfPresent(self[keyPath: path], forKey: JSONValue.Name(stringValue: name))
        }
        for (name, value) in additionalMetadata where !Self.ownMembers.contains(name) {
            try all.encode(value, forKey: JSONValue.Name(stringValue: name))
        }
    }
}
