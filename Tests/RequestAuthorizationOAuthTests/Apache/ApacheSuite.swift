// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import Testing

/// Runs a resource server for a suite, and ends it with the suite. Write it after `.glewlwyd()`, whose tokens it
/// accepts.
struct ApacheSuite: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let issuer = try #require(Glewlwyd.current, "`.glewlwyd()` comes before `.apache`").issuer
        let server = try await ApacheResourceServer(issuer: issuer)
        defer { server.end() }
        try await ApacheResourceServer.$current.withValue(server) { try await function() }
    }
}

extension Trait where Self == ApacheSuite {
    static var apache: Self { ApacheSuite() }
}

extension ApacheResourceServer {
    /// Whether it is installed, and the authorization server too. Where it must be (`REQUIRE_APACHE=1`, as in CI) its absence is a
    /// failure, not a skip.
    static let isThere: Bool = {
        if ProcessInfo.processInfo.environment["REQUIRE_APACHE"] == "1" { return true }
        let files = ["/usr/sbin/apache2", "/usr/lib/apache2/modules/mod_oauth2.so"]
        return Glewlwyd.isThere && files.allSatisfy { FileManager.default.fileExists(atPath: $0) }
    }()

    static let how: Comment = "needs glewlwyd, apache2-bin and libapache2-mod-oauth2: .ci/install-tools"
}
#endif
