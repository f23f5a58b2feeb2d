// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error of the accounts service in its own words: none of them comes from the request.
struct Refusal: Hashable, Sendable, Error {
    let error: String
    let description: String
    var status = 400
    var fields: [String: String] = [:]

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    /// RFC 6749 §5.2: who tried by a header field is told by 401 which schemes there are.
    static func client(_ description: String, inHeader: Bool) -> Self {
        var refusal = Refusal("invalid_client", description)
        if inHeader {
            refusal.status = 401
            refusal.fields["WWW-Authenticate"] = "Basic realm=\"spotify\", charset=\"UTF-8\""
        }
        return refusal
    }

    var answer: Answer {
        get throws {
            try .authenticationError(
                error, description, status: status, fields: fields.merging(Answer.uncached) { own, _ in own })
        }
    }
}
