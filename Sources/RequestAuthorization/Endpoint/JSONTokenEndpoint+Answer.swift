// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension JSONTokenEndpoint {
    /// The error of an answer; `nil` if it is a success.
    func error(in response: TokenResponse, to request: TokenRequest) -> TokenEndpointError? {
        let text = JSONMembers(response.body)?.text(at: errorMember)
        let code = text?.isEmpty == true ? nil : text
        let isSuccess = (200..<300).contains(response.statusCode)
        if isSuccess && code == nil { return nil }
        return TokenEndpointError(
            status: response.statusCode, code: code, retryAfter: RetryAfter.duration(in: response, at: clock.now),
            kind: failureKind(response.statusCode, code), purpose: .token, sent: code == nil ? [] : texts(of: request))
    }

    /// The texts of a request, none of which is printed.
    private func texts(of request: TokenRequest) -> [String] {
        let body = try? JSONDecoder().decode(TextsOfJSON.self, from: Data(request.body))
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return (body?.texts ?? []) + headerFields.map(\.value) + query.map { $0.value ?? $0.name }
    }

    /// Decodes an answer. If it is damaged, its readable members are decoded alone.
    func decode<Body: Decodable>(_ type: Body.Type, _ response: TokenResponse) throws -> Body {
        let answer = JSONMembers(response.body)
        var problem = InvalidTokenResponse(bodyOf: response)
        // Which of two values a decoder takes is not defined (RFC 8259 §4).
        if answer?.hasRepetitions != true {
            do {
                return try decode(type, response.body[...], response)
            } catch let error as InvalidTokenResponse {
                if error.problem != .notJSON { problem = error }
            }
        }
        guard let answer else { throw problem }
        let rest = ReadableMembers(answer)
        if answer.form == .whole, rest.unreadable.isEmpty, problem.field != "body" { throw problem }
        do {
            return try decode(type, rest.json[...], response)
        } catch let error as InvalidTokenResponse where error.problem == .missing {
            throw self.problem(of: error, in: answer, rest)
        }
    }

    /// - Throws: `InvalidTokenResponse`; the errors of the type itself.
    private func decode<Body: Decodable>(
        _ type: Body.Type, _ json: ArraySlice<UInt8>, _ response: TokenResponse
    ) throws -> Body {
        guard JSONNesting.isReadable(json) else {
            throw InvalidTokenResponse(status: response.statusCode, field: "body", problem: .malformed)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        decoder.dateDecodingStrategy = .custom { [dates] in try JSONDateFormat.decode($0, as: dates) }
        do {
            return try decoder.decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw InvalidTokenResponse(error, status: response.statusCode)
        } catch let error as JSONDateFormat.Missing {
            let path = error.path.isEmpty ? "body" : error.path.joined(separator: ".")
            throw InvalidTokenResponse(status: response.statusCode, field: path, problem: .noDateFormat)
        }
    }

    /// The problem of a member that was left out because it could not be read, or that a damaged body does not have.
    private func problem(
        of error: InvalidTokenResponse, in answer: JSONMembers, _ rest: ReadableMembers
    ) -> InvalidTokenResponse {
        if answer.form != .cutOff, names(rest.unreadable).contains(error.field) {
            return InvalidTokenResponse(status: error.status, field: error.field, problem: .malformed)
        }
        return answer.form == .whole
            ? error : InvalidTokenResponse(status: error.status, field: "body", problem: .notJSON)
    }

    /// The names of members as `keys` converts them.
    private func names(_ members: [String]) -> Set<String> {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        let object = Dictionary(uniqueKeysWithValues: members.map { ($0, 0) })
        return (try? decoder.decode(TextsOfJSON.self, from: JSONEncoder().encode(object)))?.names ?? []
    }
}

/// The members of a damaged answer that can be read, written as JSON again.
private struct ReadableMembers: RedactedDescription {
    private(set) var json: [UInt8] = [UInt8(ascii: "{")]
    /// The names of the others.
    private(set) var unreadable: [String] = []

    init(_ answer: JSONMembers) {
        for (name, member) in answer.members {
            // Of different values the last counts, as in most readers of JSON: a new refresh token is not lost.
            guard let value = member.values.last(where: Self.isReadable), let name = try? JSONEncoder().encode(name)
            else {
                unreadable.append(name)
                continue
            }
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json += name + [UInt8(ascii: ":")] + value
        }
        json.append(UInt8(ascii: "}"))
    }

    private static func isReadable(_ value: ArraySlice<UInt8>) -> Bool {
        // One level more: it will be in an object.
        JSONNesting.isReadable([UInt8(ascii: "{")] + value)
            && (try? JSONDecoder().decode(TextsOfJSON.self, from: Data(value))) != nil
    }
}

/// The texts in a JSON value, which is read to its end.
private struct TextsOfJSON: Decodable {
    var texts: [String] = []
    /// The names of the members if it is an object, not of those inside.
    var names: Set<String> = []

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: JSONName.self) {
            names = Set(object.allKeys.map(\.stringValue))
            for key in object.allKeys { texts += try object.decode(TextsOfJSON.self, forKey: key).texts }
        } else if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd { texts += try list.decode(TextsOfJSON.self).texts }
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() || (try? value.decode(Bool.self)) != nil { return }
            if (try? value.decode(Double.self)) == nil { texts = [try value.decode(String.self)] }
        }
    }
}

private struct JSONName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension InvalidTokenResponse {
    /// Creates an error with the name of the missing or malformed member, without its value.
    fileprivate init(_ error: DecodingError, status: Int) {
        let (path, problem): ([any CodingKey], Problem) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], .missing)
            case .valueNotFound(_, let context): (context.codingPath, .missing)
            case .typeMismatch(_, let context): (context.codingPath, .malformed)
            case .dataCorrupted(let context): (context.codingPath, context.codingPath.isEmpty ? .notJSON : .malformed)
            @unknown default: ([], .malformed)
            }
        let field = path.isEmpty ? "body" : path.map(\.stringValue).joined(separator: ".")
        self.init(status: status, field: field, problem: problem)
    }
}
