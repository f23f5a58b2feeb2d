// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sends token requests through `URLSession`: `transport: URLSession.shared`.
///
/// Every request gets its own session and so its own connection. When a reused connection drops, `URLSession` sends
/// the request again, which would use a refresh token twice. Of the session it is called on, only proxies, protocol
/// classes, `User-Agent` and (on Apple's platforms) TLS versions and the delegate's answers to certificates apply.
extension URLSession: TokenTransport {
    /// Sends a request once and returns the response, whatever its status. A redirect is returned, not followed.
    ///
    /// - Throws: `TokenTransportError`; `CancellationError` at once when the task is cancelled.
    public func send(_ request: TokenRequest) async throws -> TokenResponse {
        let urlRequest = try URLRequest(request)
        let flight = TaskFlight<[UInt8]> { _ in }
        let session = forOneTokenRequest(
            TokenDelegate(flight: flight, limit: request.maximumResponseLength, for: self), timeout: request.timeout)
        defer { session.finishTasksAndInvalidate() }
        #if canImport(FoundationNetworking)
        let deadline = Deadline(after: request.timeout.saturated / .seconds(1)) {
            flight.abort(with: URLError(.timedOut))
        }
        defer { deadline.cancel() }
        #endif
        do {
            let (body, response) = try await flight.result { session.dataTask(with: urlRequest) }
            return try TokenResponse(response, body: body)
        } catch let error as URLError {
            throw TokenTransportError(error)
        } catch let error where !(error is TokenTransportError || error is CancellationError) {
            throw TokenTransportError(.other, delivery: .mayHaveBeenProcessed, underlying: error)
        }
    }
}

extension URLSession {
    /// A session for one token request, with its own cookies and credentials, and without a cache.
    func forOneTokenRequest(_ delegate: TokenDelegate, timeout: Duration) -> URLSession {
        let own = URLSessionConfiguration.ephemeral
        own.urlCache = nil
        own.protocolClasses = configuration.protocolClasses
        own.connectionProxyDictionary = configuration.connectionProxyDictionary
        own.timeoutIntervalForResource = timeout.saturated / .seconds(1)
        own.httpAdditionalHeaders = configuration.httpAdditionalHeaders?.filter {
            ($0.key as? String)?.isSameField(as: "User-Agent") == true
        }
        #if !canImport(FoundationNetworking)
        own.tlsMinimumSupportedProtocolVersion = configuration.tlsMinimumSupportedProtocolVersion
        own.tlsMaximumSupportedProtocolVersion = configuration.tlsMaximumSupportedProtocolVersion
        #endif
        return URLSession(configuration: own, delegate: delegate, delegateQueue: nil)
    }
}

extension URLRequest {
    fileprivate init(_ request: TokenRequest) throws {
        guard let scheme = request.url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw TokenTransportError(.other, delivery: .notSent, underlying: URLError(.unsupportedURL))
        }
        var fields: [String: String] = [:]
        for (name, value) in request.fields {
            guard name.fitsInHeaderLine, value.fitsInHeaderLine else {
                throw TokenTransportError(.other, delivery: .notSent, underlying: URLError(.badURL))
            }
            // RFC 9110 §5.3: lines of the same name are one list.
            let name = fields.keys.first { $0.isSameField(as: name) } ?? name
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        if !request.body.isEmpty, !fields.keys.contains(where: { $0.isSameField(as: "Content-Type") }) {
            // Without it `URLSession` adds the media type of a form.
            fields["Content-Type"] = "application/octet-stream"
        }
        self.init(url: request.url)
        httpMethod = request.method
        allHTTPHeaderFields = fields
        // `send(_:)` keeps the deadline. The idle time-out, 60 seconds by default, must not be shorter.
        timeoutInterval = max(60, (request.timeout.saturated / .seconds(1)).rounded(.up) + 1)
        if !request.body.isEmpty { httpBody = Data(request.body) }
    }
}

extension TokenResponse {
    /// Sorts the fields by name, because `URLSession` does not keep the server's order.
    fileprivate init(_ response: URLResponse, body: [UInt8]) throws {
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        self.init(statusCode: response.statusCode, fields: fields.sorted { $0.name < $1.name }, body: body)
    }
}

extension TokenTransportError {
    /// Converts an error of `URLSession`. In doubt the request counts as possibly processed.
    init(_ error: URLError) {
        let error = error.corrected
        let code: Code =
            switch error.code {
            // No connection was made.
            case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
                .internationalRoamingOff, .callIsActive, .dataNotAllowed:
                .unreachable
            // A connection was made, but TLS failed or its certificate was not trusted.
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                .insecure
            case _ where error.isFailedHandshake: .insecure
            case .timedOut: .timedOut
            case _ where error.isUnreadableHeader: .unreadableHeader
            // The connection ended before the answer was whole. On Linux most errors of libcurl arrive as `.unknown`.
            case .networkConnectionLost, .badServerResponse, .cannotParseResponse, .zeroByteResource, .unknown:
                .connectionLost
            default: .other
            }
        let isUnsent = code == .unreachable || code == .insecure || code == .timedOut && error.isUnconnected
        self.init(code, delivery: isUnsent ? .notSent : .mayHaveBeenProcessed, underlying: error)
    }
}

extension URLError {
    /// Whether the TLS handshake failed, which swift-corelibs-foundation reports only in libcurl's text.
    fileprivate var isFailedHandshake: Bool {
        code == .unknown && Self.failedHandshakes.contains { text.hasPrefix($0) }
    }

    /// The last ones say that no certificates could be read. `OpenSSL SSL_read` may come after the request.
    private static let failedHandshakes = [
        "SSL certificate problem", "SSL: ", "OpenSSL/", "OpenSSL SSL_connect", "TLS connect error", "SSL connect error",
        "error setting certificate", "error adding trust anchors",
    ]
}
