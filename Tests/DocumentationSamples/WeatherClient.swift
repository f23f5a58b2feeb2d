// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// sample: client
public import RequestAuthorization

/// Calls the weather service, with a credential that the app brings.
public struct WeatherClient: Sendable {
    let authorization: any AuthorizationProvider
    let transport: any WeatherTransport

    public init(authorizedBy authorization: any AuthorizationProvider, transport: any WeatherTransport) {
        // The credential goes to this origin only, whatever else the app's provider allows.
        self.authorization = authorization.restricted(to: "https://weather.widgets.example")
        self.transport = transport
    }

    public func forecast(for city: String) async throws -> String {
        let request = WeatherRequest(path: "/v1/forecast/\(city)")
        let response = try await transport.send(request, authorizedBy: authorization)
        guard response.statusCode == 200 else { throw WeatherError(response) }
        return String(decoding: response.body, as: UTF8.self)
    }
}

/// Authorizes and sends requests with one HTTP client.
public protocol WeatherTransport: Sendable {
    /// - Returns: each response, whatever its status.
    func send(
        _ request: WeatherRequest, authorizedBy authorization: any AuthorizationProvider
    ) async throws -> WeatherResponse
}
// end sample

// sample: messages
public struct WeatherRequest: AuthorizableRequest {
    public let method = "GET"
    public let path: String
    /// Names in lower case.
    public private(set) var fields: [String: String] = [:]

    init(path: String) { self.path = path }

    public var url: String { "https://weather.widgets.example" + path }
    public var origin: Origin? { "https://weather.widgets.example" }
    public var isReplayable: Bool { true }
    public func credential(in field: String) -> String? { fields[field.lowercased()] }
    public mutating func setCredential(_ value: String, in field: String) { fields[field.lowercased()] = value }

    // For providers that sign requests.
    public var requestMethod: String? { method }
    public var targetURI: String? { url }
    public var bodyBytes: [UInt8]? { [] }
}

public struct WeatherResponse: Sendable, AuthorizableResponse {
    public let statusCode: Int
    public let body: [UInt8]
    private let fields: [(name: String, value: String)]

    public init(statusCode: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.statusCode, self.fields, self.body) = (statusCode, fields, body)
    }

    public func headerValues(for field: String) -> [String] {
        fields.filter { $0.name.lowercased() == field.lowercased() }.map(\.value)
    }
}
// end sample

// sample: any-client
/// For any HTTP client.
public struct OtherTransport: WeatherTransport {
    private let sendOnce: @Sendable (WeatherRequest) async throws -> WeatherResponse

    /// - Parameter sendOnce: sends a request with its `fields` once, and does not follow redirects.
    public init(sendOnce: @escaping @Sendable (WeatherRequest) async throws -> WeatherResponse) {
        self.sendOnce = sendOnce
    }

    public func send(
        _ request: WeatherRequest, authorizedBy authorization: any AuthorizationProvider
    ) async throws -> WeatherResponse {
        try await authorization.send(request) { try await sendOnce($0) }
    }
}
// end sample

// sample: error
/// The weather service answered with another status than 200.
public struct WeatherError: Error, CustomStringConvertible {
    public let status: Int
    /// What the service asked for, if it refused the credential.
    public let challenges: [AuthenticationChallenge]

    init(_ response: WeatherResponse) {
        status = response.statusCode
        challenges = response.unauthorized?.challenges ?? []
    }

    public var description: String { "the weather service answered \(status)" }
}
// end sample
