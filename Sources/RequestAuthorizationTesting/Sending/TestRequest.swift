// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request that belongs to no HTTP client.
///
///     let request = try await TestRequest().authorized(using: provider)
///     request["Authorization"]                             // "Bearer a"
public struct TestRequest: AuthorizableRequest, Hashable {
    /// The method, for instance `GET`.
    public var method: String
    /// The target, scheme included.
    public var url: String
    /// The body: empty if there is none, `nil` if it is not in memory.
    public var body: [UInt8]?
    /// Whether the request can be sent again.
    public var isReplayable: Bool
    private var fields: [String: String]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: the target, scheme included.
    ///   - method: `GET` by default.
    ///   - fields: values of header fields by name.
    ///   - body: none by default; `nil` for a body that is not in memory.
    ///   - isReplayable: whether the request can be sent again.
    public init(
        _ url: String = "https://api.example.com/", method: String = "GET", fields: [String: String] = [:],
        body: [UInt8]? = [], isReplayable: Bool = true
    ) {
        (self.url, self.method, self.body, self.isReplayable) = (url, method, body, isReplayable)
        self.fields = fields.reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
    }

    /// The value of a header field. Names are compared without case.
    public subscript(field: String) -> String? {
        get { fields[field.lowercased()] }
        set { fields[field.lowercased()] = newValue }
    }

    /// The names of the set header fields, in lower case and alphabetical order.
    public var fieldNames: [String] { fields.keys.sorted() }

    public var origin: Origin? { URL(string: url).flatMap { Origin($0) } }
    public var requestMethod: String? { method }
    public var targetURI: String? { url.withoutFragment }
    public var bodyBytes: [UInt8]? { body }
    public func credential(in field: String) -> String? { self[field] }
    public mutating func setCredential(_ value: String, in field: String) { self[field] = value }
}

extension TestRequest: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(method) \(origin.map(\.description) ?? "?")" }
}

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

extension TestResponse: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(statusCode) \(fields.keys.sorted())" }
}
