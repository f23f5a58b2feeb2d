// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A transport that follows a test's script, request by request, and records the requests.
///
///     let transport = ScriptedTransport(.response(401), .response(200))
///     let response = try await auth.send(TestRequest()) { try await transport.send($0) }
///     transport.requests.map { $0["Authorization"] }       // ["Bearer a", "Bearer b"]
///
/// It works with any type of request and response. A ``ScriptedTokenTransport`` replaces a token endpoint:
///
///     let endpoint = ScriptedTokenTransport(.response(400, json: #"{"error":"invalid_grant"}"#), .failure(timeout))
///
/// A request beyond the script throws an error that says so.
public final class ScriptedTransport<Request: Sendable, Response: Sendable>: Sendable {
    package typealias Step = ScriptStep<Request, Response>
    /// One recorded call.
    package typealias Call = ScriptedCall<Request, Response>

    private let script: Script<Request, Response>

    /// Creates a transport with a script.
    ///
    /// - Parameters:
    ///   - clock: the clock for ``ScriptedCall/date(after:)``.
    ///   - steps: one step for each request.
    ///   - forever: the step for all later requests.
    public init(
        clock: any AuthorizationClock = .system, _ steps: ScriptStep<Request, Response>...,
        forever: ScriptStep<Request, Response>? = nil
    ) {
        script = Script(owner: "ScriptedTransport", clock: clock, steps: steps, forever: forever)
    }

    /// The number of requests.
    public var calls: Int { script.calls.count }

    /// The requests in order.
    public var requests: [Request] { script.calls.map(\.input) }

    /// Adds steps at the end of the script.
    public func append(_ steps: ScriptStep<Request, Response>...) { script.append(steps) }

    /// Returns the next held call, and each one only once. Waits for it if needed.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func nextCall() async throws -> ScriptedCall<Request, Response> { try await script.nextCall() }

    /// Suspends until at least this many requests have been sent.
    ///
    /// Returns early only if the calling task is cancelled.
    public func calls(atLeast count: Int) async { await script.calls(atLeast: count) }

    /// Records a request and performs the next step.
    ///
    /// - Throws: what the step throws, or an error if there is none.
    public func send(_ request: Request) async throws -> Response { try await script.call(request) }
}

/// A scripted token endpoint.
public typealias ScriptedTokenTransport = ScriptedTransport<TokenRequest, TokenResponse>

extension ScriptedTransport: TokenTransport where Request == TokenRequest, Response == TokenResponse {}

extension ScriptedTransport: OwnDescription {
    @usableFromInline package var ownDescription: String { "ScriptedTransport(\(calls) calls)" }
}

extension ScriptStep where Input == TestRequest, Output == TestResponse {
    /// Returns a response with a status and header fields.
    ///
    /// - Parameters:
    ///   - statusCode: the status, for instance 401.
    ///   - fields: values of header fields by name, one line each.
    public static func response(_ statusCode: Int, _ fields: KeyValuePairs<String, String> = [:]) -> Self {
        success(TestResponse(statusCode, fields))
    }
}

extension ScriptStep where Input == TokenRequest, Output == TokenResponse {
    /// Returns the answer of a token endpoint, with a status and a JSON text.
    ///
    /// - Parameters:
    ///   - statusCode: the status, for instance 400.
    ///   - json: the body.
    ///   - fields: further header fields by name, one line each.
    public static func response(
        _ statusCode: Int, json: String, fields: KeyValuePairs<String, String> = [:]
    ) -> Self {
        success(
            TokenResponse(
                statusCode: statusCode,
                fields: [("Content-Type", "application/json")] + fields.map { (name: $0.key, value: $0.value) },
                body: Array(json.utf8)))
    }
}
