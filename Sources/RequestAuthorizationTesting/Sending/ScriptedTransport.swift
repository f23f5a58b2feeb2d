// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorization

/// A transport that answers what a test wrote down, request by request, and records what it was sent.
///
///     let transport = ScriptedTransport(.response(401), .response(200))
///     let response = try await auth.send(TestRequest()) { try await transport.send($0) }
///     transport.requests.map { $0["Authorization"] }       // ["Bearer a", "Bearer b"]
///
/// It serves any type of request and response. As a ``ScriptedTokenTransport`` it stands in for a token endpoint:
///
///     let endpoint = ScriptedTokenTransport(.response(400, json: #"{"error":"invalid_grant"}"#), .failure(timeout))
///
/// A request too many throws ``ScriptRanOut``.
public final class ScriptedTransport<Request: Sendable, Response: Sendable>: Sendable {
    /// One step of the script.
    public typealias Step = ScriptStep<Request, Response>
    /// One recorded call.
    public typealias Call = ScriptedCall<Request, Response>

    private let script: Script<Request, Response>

    /// Writes the script.
    ///
    /// - Parameters:
    ///   - clock: what ``ScriptedCall/startedAt`` is read from.
    ///   - steps: one for each request.
    ///   - forever: the step for all requests after those.
    public init(clock: any AuthorizationClock = .system, _ steps: Step..., forever: Step? = nil) {
        script = Script(owner: "ScriptedTransport", clock: clock, steps: steps, forever: forever)
    }

    /// How many requests were sent.
    public var calls: Int { script.calls.count }

    /// The requests in order, as they were sent.
    public var requests: [Request] { script.calls.map(\.input) }

    /// Adds steps at the end of the script.
    public func append(_ steps: Step...) { script.append(steps) }

    /// Returns the next held call that has not been returned before, waiting for it if need be.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func nextCall() async throws -> Call { try await script.nextCall() }

    /// Suspends until at least so many requests have been sent.
    ///
    /// It returns early only if the calling task is cancelled.
    public func calls(atLeast count: Int) async { await script.calls(atLeast: count) }

    /// Records a request and does what the script says.
    ///
    /// - Throws: what the script says, or ``ScriptRanOut``.
    public func send(_ request: Request) async throws -> Response { try await script.call(request) }
}

/// A scripted token endpoint.
public typealias ScriptedTokenTransport = ScriptedTransport<TokenRequest, TokenResponse>

extension ScriptedTransport: TokenTransport where Request == TokenRequest, Response == TokenResponse {}

extension ScriptedTransport: RedactedDescription {
    public var description: String { "ScriptedTransport(\(calls) calls)" }
}

extension ScriptStep where Input == TestRequest, Output == TestResponse {
    /// Answers with a status and header fields.
    public static func response(_ statusCode: Int, _ fields: KeyValuePairs<String, String> = [:]) -> Self {
        success(TestResponse(statusCode, fields))
    }
}

extension ScriptStep where Input == TokenRequest, Output == TokenResponse {
    /// Answers as a token endpoint does, with a status and a JSON text.
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
