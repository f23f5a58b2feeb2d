// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import LoopbackServer
import TestServers

/// Apache with mod_oauth2: a third-party resource server for the tokens of a Glewlwyd.
///
/// `/bearer/`, `/dpop/` and `/opaque/` answer `{"ok":true}` to a request with a valid token, and 401 to all others.
/// `Tests/Servers/start-apache-resource-server.sh` says more.
final class ApacheResourceServer: Sendable {
    /// The server of the running suite.
    @TaskLocal static var current: ApacheResourceServer?

    private let process: ServerProcess
    /// Reserved, so that no other socket gets it. Apache, which cannot choose a port itself, listens on it all the
    /// same.
    private let port: HeldPort

    /// Starts a server that trusts the keys of an issuer.
    init(issuer: String) async throws {
        port = try HeldPort()
        process = try await ServerProcess(
            script: "start-apache-resource-server.sh", named: "apache", arguments: ["\(port.number)", issuer])
    }

    /// Ends the server and removes its files.
    func end() { process.end() }

    /// - Parameter path: ends with `/`, or Apache redirects.
    func url(_ path: String) -> URL { port.url(path) }
}
#endif
