// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Checks that an `AuthorizableRequest` conforms, in one line of a test.
///
///     @Test func `my request is one`() async throws {
///         try await AuthorizableRequestChecks(method: "GET", target: "https://api.example.com/v1") {
///             MyRequest("https://api.example.com/v1")
///         }.run()
///     }
///
/// The closure creates a request without credential. It is called for each check.
///
/// The checks: a credential is found under any spelling of its field; another one replaces it; other fields and copies
/// stay; the request goes to its host, port and scheme only; it counts as readable on the network for `http` to another
/// machine only; method, target and body are the expected ones, and the target has no fragment. A `requestMethod` of type
/// `String` instead of `String?` compiles, but no provider sees it. The last checks report that.
public struct AuthorizableRequestChecks<Request: AuthorizableRequest>: Sendable {
    private let method: String?
    private let target: String?
    private let body: [UInt8]?
    private let request: @Sendable () async throws -> Request

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - method: the expected `requestMethod`; `nil` if the type has none.
    ///   - target: the expected `targetURI`; `nil` if the type has none.
    ///   - body: the expected `bodyBytes`; empty if there is no body. `nil` skips this check.
    ///   - request: creates a request.
    public init(
        method: String?, target: String?, body: [UInt8]? = nil,
        _ request: nonisolated(nonsending) @escaping @Sendable () async throws -> Request
    ) {
        (self.method, self.target, self.body, self.request) = (method, target, body, request)
    }

    /// Performs the checks.
    ///
    /// - Throws: ``ChecksFailed`` with all problems; `CancellationError` if the task is cancelled; the closure's error.
    public func run() async throws {
        let checks = [
            Check("keeps a credential") { try await checkKeeping() },
            Check("replaces an earlier credential") { try await checkReplacing() },
            Check("leaves other fields alone") { try await checkOthers() },
            Check("leaves copies alone") { try await checkCopies() },
            Check("goes to its origin alone") { try await checkOrigin() },
            Check("is readable on the network as its origin is") { try await checkPlaintext() },
            Check("shows its method and its target") { try await checkTwice(checkSigned) },
            Check("shows its body") { try await checkTwice(checkBody) },
        ]
        try await Check.run(checks, of: "\(Request.self)")
    }

    private func checkKeeping() async throws {
        for field in ["Authorization", "X-Probe-Key"] {
            var request = try await request()
            let before = request.credential(in: field)
            try require(before == nil, "had a value in the field \(field) before it was set")
            request.setCredential("Bearer first", in: field)
            for spelling in [field, field.lowercased(), field.uppercased()] {
                let value = request.credential(in: spelling)
                try require(value == "Bearer first", "did not find in \(spelling) what was set in \(field)")
            }
        }
    }

    private func checkReplacing() async throws {
        var request = try await request()
        request.setCredential("Bearer first", in: "authorization")
        request.setCredential("Bearer second", in: "Authorization")
        for spelling in ["authorization", "Authorization"] {
            let value = request.credential(in: spelling)
            try require(value == "Bearer second", "had an earlier value in the field \(spelling)")
        }
    }

    private func checkOthers() async throws {
        var request = try await request()
        request.setCredential("key", in: "X-Probe-Key")
        request.setCredential("Bearer first", in: "Authorization")
        let other = request.credential(in: "X-Probe-Key")
        try require(other == "key", "lost the field X-Probe-Key when Authorization was set")
    }

    /// What is sent again, or elsewhere, is a copy that has no credential yet.
    private func checkCopies() async throws {
        let original = try await request()
        var copy = original
        copy.setCredential("Bearer first", in: "Authorization")
        let value = original.credential(in: "Authorization")
        try require(value == nil, "got the credential that was set on a copy: make it a value type")
    }

    private func checkOrigin() async throws {
        let request = try await request()
        let own = request.origin ?? "https://other.invalid"
        let others = [
            ("host", Origin(scheme: own.scheme, host: "other.\(own.host)", port: own.port)),
            // The request's URL begins with this one.
            ("host", Origin(scheme: own.scheme, host: String(own.host.dropLast()), port: own.port)),
            ("port", Origin(scheme: own.scheme, host: own.host, port: own.port == 8443 ? 8444 : 8443)),
            ("scheme", Origin(scheme: own.scheme == "https" ? "http" : "https", host: own.host, port: own.port)),
        ]
        for (part, other) in others {
            try require(!request.goes(to: other), "goes(to:) accepts an origin with another \(part)")
        }
        guard let origin = request.origin else { return }
        try require(request.goes(to: origin), "goes(to:) refuses the request's own origin")
    }

    private func checkPlaintext() async throws {
        let request = try await request()
        // Without an origin only the client knows.
        guard let origin = request.origin else { return }
        let isReadable = origin.isPlaintext && !origin.isLoopback
        try require(
            request.isPlaintext == isReadable,
            isReadable ? "takes a credential that others can read to \(origin)" : "takes no credential to \(origin)")
    }

    /// Checks a request also after a credential was set, because it may change.
    private func checkTwice(_ check: (Request) throws -> Void) async throws {
        var request = try await request()
        try check(request)
        request.setCredential("Bearer first", in: "Authorization")
        try check(request)
    }

    private func checkSigned(_ request: Request) throws(CheckProblem) {
        try check(request.requestMethod, method, "requestMethod")
        try check(request.targetURI, target, "targetURI")
        try require(request.targetURI?.contains("#") != true, "has a fragment in its targetURI")
    }

    private func checkBody(_ request: Request) throws(CheckProblem) {
        guard let body else { return }
        let seen = request.bodyBytes
        try require(
            seen != nil,
            "providers see no bodyBytes where \(body.count) bytes are expected: "
                + "declare it as [UInt8]?, and public if the type is")
        try require(seen == body, "providers see other bodyBytes than expected")
    }

    private func check(_ seen: String?, _ expected: String?, _ property: String) throws(CheckProblem) {
        try require(
            seen != nil || expected == nil,
            "providers see no \(property) where \(expected ?? "") is expected: "
                + "declare it as String?, and public if the type is")
        try require(seen == expected, "providers see another \(property) than expected")
    }
}
