// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

/// What git asks its helper (git-credential, gitprotocol).
struct GitCredential {
    private var attributes: [String: String] = [:]
    private var capabilities: Set<String> = []

    /// Reads the lines that come before the empty one.
    init(_ lines: [String]) {
        for line in lines {
            // A combining mark would make one character with the sign before it.
            let parts = line.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0) }
            guard parts.count == 2 else { continue }
            if parts[0] == "capability[]" { capabilities.insert(parts[1]) } else { attributes[parts[0]] = parts[1] }
        }
    }

    /// The URL that git will call. Git has decoded the host and the path.
    var url: String? {
        guard let scheme = attributes["protocol"], ["http", "https"].contains(scheme), let host = attributes["host"],
            !host.isEmpty, !host.utf8.contains(where: { #"/?#@%\"#.utf8.contains($0) }),
            let path = (attributes["path"] ?? "").addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { return nil }
        return "\(scheme)://\(host)/\(path)"
    }

    /// The password or credential that git gives back.
    var secret: String? { attributes["password"] ?? attributes["credential"] }

    /// A bearer token where git can send one (2.46), else the password of Basic. `ephemeral` needs the same capability.
    func answer(_ token: OAuthToken) -> [String] {
        var lines =
            capabilities.contains("authtype")
            ? ["capability[]=authtype", "authtype=Bearer", "credential=\(token.accessToken)", "ephemeral=1"]
            : ["username=\(attributes["username"] ?? "oauth2")", "password=\(token.accessToken)"]
        if let end = token.knownExpiry { lines.append("password_expiry_utc=\(Int(end.timeIntervalSince1970))") }
        return lines
    }
}

/// What kubectl and other clients of Kubernetes read (client.authentication.k8s.io).
struct ExecCredential: Encodable {
    struct Status: Encodable {
        let token: String
        let expirationTimestamp: Date?
    }

    let apiVersion: String
    let kind = "ExecCredential"
    let status: Status

    init(_ token: OAuthToken, apiVersion: String) {
        self.apiVersion = apiVersion
        status = Status(token: token.accessToken, expirationTimestamp: token.knownExpiry)
    }

    /// The version that the client speaks: what it wrote into `KUBERNETES_EXEC_INFO`, and `v1` if it wrote nothing.
    ///
    /// - Returns: `nil` for a version that is not known.
    static func version(info: String?) -> String? {
        struct Info: Decodable { let apiVersion: String }
        guard let info else { return known[0] }
        guard let version = try? JSONDecoder().decode(Info.self, from: Data(info.utf8)).apiVersion else { return nil }
        return known.contains(version) ? version : nil
    }

    /// The versions, the default first.
    static let known = ["v1", "v1beta1"].map { "client.authentication.k8s.io/\($0)" }
}

extension OAuthToken {
    /// When the token expires; `nil` if the server did not say.
    var knownExpiry: Date? { expiresAt == .distantFuture ? nil : expiresAt }
}
