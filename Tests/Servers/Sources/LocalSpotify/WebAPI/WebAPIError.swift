// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error of the Web API.
struct WebAPIError: Error, Hashable {
    let status: Int
    /// May contain parts of the request, which are harmless in JSON.
    let message: String
    /// The reason in an error of the player.
    let reason: String?
    var fields: [String: String] = [:]

    init(_ status: Int, _ message: String, reason: String? = nil) {
        self.status = status
        self.message = message
        self.reason = reason
    }

    /// RFC 6750 §3.1.
    static func missing(_ scopes: Set<String>) -> Self {
        var error = WebAPIError(403, "Insufficient client scope")
        error.fields["WWW-Authenticate"] =
            "Bearer realm=\"spotify\", error=\"insufficient_scope\", scope=\"\(Scope.list(scopes))\""
        return error
    }

    /// The regular error object, or that of the player: `{"error":{"status":404,"message":"…","reason":"…"}}`.
    var answer: Answer {
        get throws {
            struct Document: Encodable {
                struct Details: Encodable {
                    let status: Int
                    let message: String
                    let reason: String?
                }
                let error: Details
            }
            let document = Document(error: .init(status: status, message: message, reason: reason))
            return try .json(status, document, fields: fields)
        }
    }
}
