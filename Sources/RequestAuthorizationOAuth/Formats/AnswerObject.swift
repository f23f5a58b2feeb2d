// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The JSON object of an authorization server's answer, read tolerantly: each member is decoded on its own.
///
/// A member that cannot be decoded counts as absent, and the others are read. A problem names its member.
package struct AnswerObject: Sendable, RedactedDescription {
    package let status: Int
    /// The members that could be decoded. Of a repeated one it is the last.
    package private(set) var members: [String: JSONValue] = [:]
    /// Whether the body is an object whose members can be told apart.
    package let isWhole: Bool
    /// Whether the body ends within the object.
    let isCutOff: Bool
    /// The members that are there and cannot be decoded.
    package private(set) var damaged: Set<String> = []
    /// The members that are there more than once, with different values.
    package private(set) var repeated: Set<String> = []
    /// Members that seem to be in another object, because a bracket is damaged.
    private var nested: [String: JSONValue] = [:]
    let purpose: TokenRequestPurpose

    /// - Throws: `InvalidTokenResponse` for the field `body` if there is no JSON object.
    package init(_ response: TokenResponse, purpose: TokenRequestPurpose = .token) throws {
        (status, self.purpose) = (response.statusCode, purpose)
        guard let answer = JSONMembers(response.body) else {
            throw InvalidTokenResponse(bodyOf: response, purpose: purpose)
        }
        (isWhole, isCutOff) = (answer.form == .whole, answer.form == .cutOff)
        for (name, member) in answer.members {
            let values = member.values.compactMap(JSONValue.init(json:))
            guard let value = values.last else {
                damaged.insert(name)
                continue
            }
            if values.contains(where: { $0 != value }) { repeated.insert(name) }
            if member.isNested { nested[name] = value } else { members[name] = value }
        }
    }

    /// The value of a member, unless it is repeated with another one.
    func value(_ name: String) -> JSONValue? { repeated.contains(name) ? nil : members[name] ?? nested[name] }

    /// A text that is not empty.
    package func text(_ name: String) -> String? { value(name)?.text }

    /// The new refresh token. Of several the last counts, as in most readers of JSON: without any the session is lost.
    var refreshToken: String? { (members["refresh_token"] ?? nested["refresh_token"])?.text }

    /// - Throws: `InvalidTokenResponse` that names the field.
    package func requiredText(_ name: String) throws -> String {
        if let text = text(name) { return text }
        throw problem(name)
    }

    /// A token, which must be visible ASCII (RFC 6749 App. A.12), as header fields require.
    func visibleText(_ name: String) throws -> String {
        let text = try requiredText(name)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw invalid(name, .malformed) }
        return text
    }

    /// A time in seconds, which servers send as a number or a text.
    ///
    /// Zero (which some servers use for "never"), negative times and more than a hundred years count as absent.
    package func seconds(_ name: String) -> Duration? {
        guard let seconds = value(name)?.numberOrNumeral, seconds > 0, seconds <= 100 * 366 * 86_400 else {
            return nil
        }
        return Duration(wholeSeconds: seconds)
    }

    /// - Throws: `InvalidTokenResponse` that names the field.
    func requiredSeconds(_ name: String) throws -> Duration {
        if let seconds = seconds(name) { return seconds }
        throw problem(name)
    }

    /// One text or a list of texts.
    func texts(_ name: String) -> [String] {
        guard case .array(let values) = value(name) else { return text(name).map { [$0] } ?? [] }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Seconds since 1970.
    package func date(_ name: String) -> Date? {
        guard let seconds = value(name)?.numberOrNumeral, abs(seconds) < 1e11 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    // MARK: - Problems

    /// What is wrong with a member that has no usable value.
    func problem(_ name: String) -> InvalidTokenResponse {
        if repeated.contains(name) { return invalid(name, .repeated) }
        guard [nil, .null, .string("")].contains(value(name)), isCutOff || !damaged.contains(name) else {
            return invalid(name, .malformed)
        }
        return isWhole ? invalid(name, .missing) : invalid("body", .notJSON)
    }

    func invalid(_ field: String, _ problem: InvalidTokenResponse.Problem) -> InvalidTokenResponse {
        InvalidTokenResponse(status: status, field: field, problem: problem, purpose: purpose)
    }

    /// Requires that an answer that can be had again is sound in all that is read of it.
    ///
    /// - Throws: `InvalidTokenResponse` that names the member, or the field `body`.
    func check(_ names: Set<String>) throws {
        guard isWhole else { throw invalid("body", .notJSON) }
        if let name = names.sorted().first(where: { damaged.contains($0) || repeated.contains($0) }) {
            throw problem(name)
        }
    }

    /// The error code, at a path such as `error.code`. Only an object that is whole has one.
    func errorCode(at path: String) -> String? {
        guard isWhole else { return nil }
        if members[path] != nil { return text(path) }
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, let top = value(first) else { return nil }
        return names.dropFirst().reduce(top as JSONValue?) { value, name in
            if case .object(let members)? = value { members[name] } else { nil }
        }?.text
    }
}

extension JSONValue {
    /// Decodes a value; `nil` if it cannot be read.
    init?(json: ArraySlice<UInt8>) {
        guard JSONNesting.isReadable(json),
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json))
        else { return nil }
        self = value
    }
}

extension Duration {
    /// `nil` if the number of seconds is not finite or does not fit.
    package init?(wholeSeconds seconds: Double) {
        guard seconds.isFinite, abs(seconds) < 1e15 else { return nil }
        // `.seconds` multiplies a `Double` by 10¹⁸, which changes most whole numbers.
        let whole = seconds.rounded(.towardZero)
        self = .seconds(Int64(whole)) + .seconds(seconds - whole)
    }

    /// The number that ``init(wholeSeconds:)`` makes this duration of. Dividing by a second is not exact.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
