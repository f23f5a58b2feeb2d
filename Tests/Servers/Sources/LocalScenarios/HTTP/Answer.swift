// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// An answer of a server of a scenario.
struct Answer: Sendable {
    var status: Int
    var fields: [String: String] = [:]
    var body = Data()

    static func json(_ members: [String: Any], status: Int = 200, _ fields: [String: String] = [:]) -> Answer {
        var answer = Answer(status: status, fields: fields)
        answer.fields["Content-Type"] = "application/json"
        answer.fields["Cache-Control"] = "no-store"
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        // The members are strings, numbers, lists and objects of these.
        answer.body = (try? JSONSerialization.data(withJSONObject: members, options: options)) ?? Data()
        return answer
    }

    /// RFC 6749 §5.2.
    static func error(
        _ code: String, _ description: String, status: Int = 400, _ fields: [String: String] = [:]
    ) -> Answer {
        json(["error": code, "error_description": description], status: status, fields)
    }

    static func page(_ status: Int, _ text: String) -> Answer {
        Answer(status: status, fields: ["Content-Type": "text/plain"], body: Data(text.utf8))
    }

    static let notFound = page(404, "not found")
}
#endif
