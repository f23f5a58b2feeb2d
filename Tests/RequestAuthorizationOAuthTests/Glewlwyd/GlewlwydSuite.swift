// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import Testing

/// Runs a server for a suite, and ends it with the suite.
struct GlewlwydSuite: SuiteTrait, TestScoping {
    let accessSeconds: Int
    let demandsNonces: Bool

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let server = try await Glewlwyd(accessSeconds: accessSeconds, demandsNonces: demandsNonces)
        defer { server.end() }
        try await Glewlwyd.$current.withValue(server) { try await function() }
    }
}

extension Trait where Self == GlewlwydSuite {
    static func glewlwyd(accessSeconds: Int = 3600, demandsNonces: Bool = false) -> Self {
        GlewlwydSuite(accessSeconds: accessSeconds, demandsNonces: demandsNonces)
    }
}

extension Glewlwyd {
    /// Whether it is installed. Where it must be (`REQUIRE_GLEWLWYD=1`, as in CI) its absence is a failure, not a skip.
    static let isThere: Bool = {
        let environment = ProcessInfo.processInfo.environment
        if environment["REQUIRE_GLEWLWYD"] == "1" { return true }
        let places = (environment["PATH"] ?? "").split(separator: ":")
        return ["glewlwyd", "sqlite3", "curl", "openssl", "python3"].allSatisfy { command in
            places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
        }
    }()

    static let how: Comment = "needs glewlwyd: .ci/install-tools"
}
#endif
