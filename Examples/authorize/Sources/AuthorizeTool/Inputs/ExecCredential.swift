// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

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
