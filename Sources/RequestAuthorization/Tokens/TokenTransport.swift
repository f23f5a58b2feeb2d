// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends a request to a token endpoint and returns the answer.
///
/// The core calls the endpoints of an authorization server through it, so it needs no HTTP client. `URLSession`
/// conforms (`RequestAuthorizationURLSession`). An implementation sends a request **at most once**, follows no redirect
/// and keeps no cookies. While an answer streams in, it refuses one that is longer than allowed.
public protocol TokenTransport: Sendable {
    /// Sends a request once and returns the answer, whatever its status.
    ///
    /// - Throws: ``TokenTransportError``, which tells whether the request was sent; `CancellationError` if the task is
    ///   cancelled, also before the call.
    func send(_ request: TokenRequest) async throws -> TokenResponse
}

/// A request to a token endpoint.
public struct TokenRequest: Sendable {
    /// `POST` by default.
    public var method: String
    /// The URL of the endpoint. A transport does not refuse plain `http`; check it before.
    public var url: URL
    /// Header fields in order.
    public var fields: [(name: String, value: String)]
    /// The body; empty for none.
    public var body: [UInt8]
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// The largest length of the answer after decompression, in bytes.
    public var maximumResponseLength: Int

    public init(
        method: String = "POST", url: URL, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration = .seconds(30), maximumResponseLength: Int = 1 << 20
    ) {
        (self.method, self.url, self.fields) = (method, url, fields)
        (self.body, self.timeout, self.maximumResponseLength) = (body, timeout, maximumResponseLength)
    }
}

/// The answer of a token endpoint.
public struct TokenResponse: Sendable, AuthorizableResponse {
    /// The HTTP status.
    public let statusCode: Int
    /// Header fields in order.
    public let fields: [(name: String, value: String)]
    /// The body after decompression; empty for none.
    public let body: [UInt8]

    public init(statusCode: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.statusCode, self.fields, self.body) = (statusCode, fields, body)
    }

    public func headerValues(for field: String) -> [String] {
        let field = field.lowercased()
        return fields.filter { $0.name.lowercased() == field }.map(\.value)
    }
}

/// The authorization server gave no usable answer, at its token endpoint or for its metadata.
public struct TokenTransportError: TransientFailure {
    /// What went wrong. Its description is a short label without secrets, for metrics.
    public struct Code: Hashable, Sendable, Labelled {
        @usableFromInline package let label: String

        /// The server could not be reached.
        public static let unreachable = Code(label: "unreachable")
        /// The connection ended before the answer was whole.
        public static let connectionLost = Code(label: "connection lost")
        /// The whole answer did not arrive in time.
        public static let timedOut = Code(label: "timed out")
        /// There was no TLS: the server's certificate was not accepted, or the handshake failed.
        public static let insecure = Code(label: "insecure")
        /// The answer is longer than allowed.
        public static let responseTooLong = Code(label: "response too long")
        /// The HTTP client cannot read the header of the answer, such as one that is not UTF-8.
        package static let unreadableHeader = Code(label: "unreadable header")
        /// Anything else; see `underlying`.
        public static let other = Code(label: "other")
    }

    /// What went wrong.
    public let code: Code
    /// Whether the server may have processed the request. It decides how soon the next try follows.
    public let delivery: TokenRequestDelivery
    /// The error of the HTTP client; it is not printed here.
    public let underlying: (any Error)?

    /// Creates the error of a transport.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - delivery: in doubt ``TokenRequestDelivery/mayHaveBeenProcessed``.
    ///   - underlying: the error of the HTTP client.
    public init(_ code: Code, delivery: TokenRequestDelivery, underlying: (any Error)? = nil) {
        (self.code, self.delivery, self.underlying) = (code, delivery, underlying)
    }
}

extension TokenRequest: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(method) \(Origin(url).map(\.description) ?? "?")" }
}

extension TokenResponse: OwnDescription {
    @usableFromInline package var ownDescription: String { "\(statusCode) (\(body.count) bytes)" }
}

extension TokenTransportError: OwnDescription {
    @usableFromInline package var ownDescription: String {
        let advice =
            switch code {
            case .unreachable: "check the network and the address"
            case .insecure: "check the address, the server's certificate and its versions of TLS"
            case .responseTooLong: "check that the address is that of the server"
            case .unreadableHeader:
                "a line of the header may be in another encoding than UTF-8; correct the server, or use another HTTP client"
            default: "try again later"
            }
        return "no usable answer from the authorization server: \(code); \(advice)"
    }
}
