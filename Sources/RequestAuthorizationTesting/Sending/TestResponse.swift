// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A response that belongs to no HTTP client.
///
///     TestResponse(401, ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
public struct TestResponse: AuthorizableResponse, Hashable, Sendable {
    /// The status code.
    public let statusCode: Int
    private let fields: [String: [String]]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - statusCode: 200 by default.
    ///   - fields: values of header fields by name, one line each.
    public init(_ statusCode: Int = 200, _ fields: KeyValuePairs<String, String> = [:]) {
        self.statusCode = statusCode
        self.fields = fields.reduce(into: [:]) { $0[$1.key.lowercased(), default: []].append($1.value) }
    }

    public func headerValues(for field: String) -> [String] { fields[field.lowercased()] ?? [] }
}

extension TestResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(statusCode) \(fields.keys.sorted())" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["statusCode": statusCode]) }
}
