// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An OAuth error of the accounts service. Its texts are constants: none comes from the request.
struct Refusal: Hashable, Sendable, Error {
    let error: String
    let description: String
    var status = 400
    var fields: [String: String] = [:]

    init(_ error: String, _ description: String) {
        self.error = error
        self.description = description
    }

    /// RFC 6749 §5.2: if the client used the header field, the answer is 401 and names the supported schemes.
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
