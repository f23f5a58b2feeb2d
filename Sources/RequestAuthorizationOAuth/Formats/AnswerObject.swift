// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The JSON object of an authorization server's answer, read tolerantly.
package struct AnswerObject: Sendable, RedactedDescription {
    package let status: Int
    package let members: [String: JSONValue]

    /// - Throws: `InvalidTokenResponse` for the field `body` if there is no JSON object.
    package init(_ response: TokenResponse) throws {
        status = response.statusCode
        guard JSONNesting.isReadable(response.body) else {
            throw InvalidTokenResponse(status: response.statusCode, field: "body", problem: .malformed)
        }
        do {
            members = try JSONDecoder().decode([String: JSONValue].self, from: Data(response.body))
        } catch {
            throw InvalidTokenResponse(status: response.statusCode, field: "body", problem: .notJSON)
        }
    }

    init(status: Int, members: [String: JSONValue]) { (self.status, self.members) = (status, members) }

    /// A text that is not empty.
    package func text(_ name: String) -> String? { members[name]?.text }

    /// - Throws: `InvalidTokenResponse` that names the field.
    package func requiredText(_ name: String) throws -> String {
        if let text = text(name) { return text }
        let isMissing = [nil, .null, .string("")].contains(members[name])
        throw InvalidTokenResponse(status: status, field: name, problem: isMissing ? .missing : .malformed)
    }

    /// A time in seconds, which servers send as a number or a text.
    ///
    /// Zero (which some servers use for "never"), negative times and more than a hundred years count as absent.
    package func seconds(_ name: String) -> Duration? {
        guard let seconds = members[name]?.numberOrNumeral, seconds > 0, seconds <= 100 * 366 * 86_400 else {
            return nil
        }
        return Duration(wholeSeconds: seconds)
    }

    /// - Throws: `InvalidTokenResponse` that names the field.
    func requiredSeconds(_ name: String) throws -> Duration {
        if let seconds = seconds(name) { return seconds }
        throw InvalidTokenResponse(status: status, field: name, problem: members[name] == nil ? .missing : .malformed)
    }

    /// One text or a list of texts.
    func texts(_ name: String) -> [String] {
        guard case .array(let values) = members[name] else { return text(name).map { [$0] } ?? [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Seconds since 1970.
    package func date(_ name: String) -> Date? {
        guard let seconds = members[name]?.numberOrNumeral, abs(seconds) < 1e11 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
}

extension Duration {
    /// `nil` if the number of seconds is not finite or does not fit.
    package init?(wholeSeconds seconds: Double) {
        guard seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        self = .seconds(seconds)
    }
}
