// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A URL at which the platform gives a token.
struct AssertionURL: Sendable {
    private let url: URL
    private let fields: [(name: String, value: String)]
    private let format: AssertionFormat
    /// The origin, for errors: the path and the query may be secret.
    let source: String

    /// - Throws: ``WorkloadIdentityError`` for a URL that must not be called: `http` is for this machine, and for the
    ///   metadata server of a cloud at 169.254.169.254.
    init(
        _ text: String, fields: [(name: String, value: String)], format: AssertionFormat
    ) throws(WorkloadIdentityError) {
        guard let url = URL(string: text), let origin = Origin(url), url.user() == nil, url.fragment() == nil else {
            throw WorkloadIdentityError(.malformed, source: "the URL", detail: "it is not a URL with scheme and host")
        }
        guard url.isSafe || origin.scheme == "http" && origin.host == "169.254.169.254" else {
            throw WorkloadIdentityError(.insecure, source: origin.description)
        }
        (self.url, self.fields, self.format, source) = (url, fields, format, origin.description)
    }

    /// Requests a token.
    func text(by transport: any TokenTransport, clock: any AuthorizationClock = .system) async throws -> String {
        do {
            for field in fields {
                try HeaderFieldName.check(field.name)
                try HeaderFieldValue.check(field.value)
            }
        } catch {
            throw WorkloadIdentityError(
                .malformed, source: source, detail: "the name or the value of a header field is invalid")
        }
        let response: TokenResponse
        do {
            response = try await transport.send(
                TokenRequest(
                    method: "GET", url: url, fields: [(name: "Accept", value: "application/json")] + fields,
                    timeout: .seconds(10), maximumResponseLength: AssertionFormat.longest))
        } catch  where !(error is CancellationError) {
            let isLong = (error as? TokenTransportError)?.code == .responseTooLong
            throw WorkloadIdentityError(
                isLong ? .tooLong : .unavailable, source: source, kind: isLong ? .client : .transient,
                underlying: error)
        }
        guard response.statusCode == 200 else {
            let isPassing =
                TokenEndpointError.isPassing(status: response.statusCode) || response.statusCode == 408
            throw WorkloadIdentityError(
                .unavailable, source: source, kind: isPassing ? .transient : .client,
                detail: "it answered \(response.statusCode)",
                underlying: TokenEndpointError(
                    status: response.statusCode, retryAfter: RetryAfter.duration(in: response, at: clock.now)))
        }
        return try format.text(in: response.body, from: source)
    }
}
