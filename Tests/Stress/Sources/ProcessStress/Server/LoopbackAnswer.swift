// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// An answer of the server.
struct LoopbackAnswer: Sendable {
    let status: Int
    var body = Data()

    init(_ status: Int) { self.status = status }

    /// - Parameter now: the time from which the token's lifetime is counted.
    init(_ pair: TokenPair, at now: Date) throws {
        struct Tokens: Encodable {
            let access_token: String
            let refresh_token: String
            let expires_in: Double
        }
        status = 200
        body = try JSONEncoder().encode(
            Tokens(
                access_token: pair.accessToken, refresh_token: pair.refreshToken,
                expires_in: pair.expiresAt.timeIntervalSince(now)))
    }

    /// RFC 6749 §5.2.
    static let invalidGrant: LoopbackAnswer = {
        var answer = LoopbackAnswer(400)
        answer.body = Data(#"{"error":"invalid_grant"}"#.utf8)
        return answer
    }()

    var bytes: [UInt8] { Array("HTTP/1.1 \(status) \(status)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body }
}
