// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// The one secret that all exhibits hold.
enum Secret {
    static let text = "S3CRETmarker"

    /// Whether it can be read there, also encoded as Basic does.
    static func isPart(of text: String) -> Bool {
        if text.contains(Self.text) { return true }
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0))) }
        return words.contains { word in
            Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self).contains(Self.text) } ?? false
        }
    }
}

/// A user's token as the documentation has it.
struct CarefulToken: AuthorizationToken, Hashable, Codable {
    var accessToken = Secret.text
    var refreshToken = Secret.text
    var expiresAt = Date.distantFuture

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}

/// A user's token that prints itself all the same.
struct LooseToken: AuthorizationToken, Hashable {
    var accessToken = Secret.text

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
    var description: String { accessToken }
    var debugDescription: String { accessToken }
    var customMirror: Mirror { Mirror(self, children: ["accessToken": accessToken]) }
}

/// A token service's error that says more than it should.
struct LooseError: Error, CustomStringConvertible {
    let description = "the refresh token \(Secret.text) was refused"
}

/// A provider of somebody else that prints what it holds.
struct LooseAuthorization: AuthorizationProvider {
    var key = Secret.text

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request { request }
}

/// A service that keeps a password and fetches tokens that print themselves.
struct LooseService: RefreshableTokenService {
    var password = Secret.text

    func refresh(_ token: LooseToken) async throws -> LooseToken { throw LooseError() }
    func initialToken() async throws -> LooseToken { LooseToken() }
}
