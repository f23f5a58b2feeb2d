// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// An answer of the services, independent of the HTTP server.
struct Answer: Sendable {
    var status: Int
    var fields: [String: String] = [:]
    var body = Data()

    /// An answer in JSON, with the names in Spotify's spelling (`display_name`).
    static func json(_ status: Int = 200, _ value: some Encodable, fields: [String: String] = [:]) throws -> Answer {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var fields = fields
        fields["Content-Type"] = "application/json; charset=utf-8"
        return Answer(status: status, fields: fields, body: try encoder.encode(value))
    }

    /// The regular error object of the Web API: `{"error":{"status":404,"message":"…"}}`.
    static func regularError(_ status: Int, _ message: String, fields: [String: String] = [:]) throws -> Answer {
        struct Regular: Encodable {
            struct Details: Encodable {
                let status: Int
                let message: String
            }
            let error: Details
        }
        return try json(status, Regular(error: .init(status: status, message: message)), fields: fields)
    }

    /// The authentication error object of the accounts service (RFC 6749 §5.2): `{"error":"…","error_description":"…"}`.
    static func authenticationError(
        _ code: String, _ description: String, status: Int = 400, fields: [String: String] = [:]
    ) throws -> Answer {
        struct Authentication: Encodable {
            let error: String
            let errorDescription: String
        }
        return try json(status, Authentication(error: code, errorDescription: description), fields: fields)
    }
}
