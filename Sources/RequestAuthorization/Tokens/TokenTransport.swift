// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Carries one request to a token endpoint and its answer back.
///
/// The endpoints of an authorization server are called through it, so that the core needs no HTTP client. `URLSession` is one
/// (`RequestAuthorizationURLSession`). An implementation sends a request **at most once**, follows no redirect, keeps no
/// cookies and refuses an answer that is longer than asked for while it streams in.
public protocol TokenTransport: Sendable {
    /// Sends a request once and returns the answer, whatever its status.
    ///
    /// - Throws: ``TokenTransportError``, with what is known of the request's fate; `CancellationError`.
    func send(_ request: TokenRequest) async throws -> TokenResponse
}

/// A request to a token endpoint.
public struct TokenRequest: Sendable {
    /// `POST` unless said otherwise.
    public var method: String
    public var url: URL
    /// Header fields in order.
    public var fields: [(name: String, value: String)]
    /// The body; empty for none.
    public var body: [UInt8]
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// How many bytes an answer may have after decompression.
    public var maximumResponseLength: Int

    public init(
        method: String = "POST", url: URL, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration = .seconds(30), maximumResponseLength: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.maximumResponseLength = maximumResponseLength
    }
}

/// The answer of a token endpoint.
public struct TokenResponse: Sendable, AuthorizableResponse {
    public let statusCode: Int
    /// Header fields in order.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]

    public init(statusCode: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.statusCode = statusCode
        self.fields = fields
        self.body = body
    }

    public func headerValues(for field: String) -> [String] {
        let field = field.lowercased()
        return fields.filter { $0.name.lowercased() == field }.map(\.value)
    }
}

/// No usable answer came from an authorization server: its token endpoint, or where its metadata stand.
public struct TokenTransportError: TokenServiceFailure {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short label without secrets.
        public let description: String

        /// The server could not be reached.
        public static let unreachable = Code(description: "unreachable")
        /// The connection ended before the answer was whole.
        public static let connectionLost = Code(description: "connection lost")
        /// No whole answer within the time.
        public static let timedOut = Code(description: "timed out")
        /// The server's certificate was not accepted.
        public static let insecure = Code(description: "insecure")
        /// The answer is longer than asked for.
        public static let responseTooLong = Code(description: "response too long")
        /// Anything else; see `underlying`.
        public static let other = Code(description: "other")
    }

    public let code: Code
    public let delivery: TokenRequestDelivery
    /// What the client threw; not printed here.
    public let underlying: (any Error)?
    public var kind: TokenFailureKind { .transient }

    public init(_ code: Code, delivery: TokenRequestDelivery, underlying: (any Error)? = nil) {
        self.code = code
        self.delivery = delivery
        self.underlying = underlying
    }
}

extension TokenRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(method) \(Origin(url).map(\.description) ?? "?")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(statusCode) (\(body.count) bytes)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["statusCode": statusCode]) }
}

extension TokenTransportError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let advice =
            switch code {
            case .unreachable: "check the network and the address"
            case .insecure: "check the server's certificate"
            case .responseTooLong: "check that the address is that of the server"
            default: "try again later"
            }
        return "no answer from the authorization server: \(code); \(advice)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description]) }
}
