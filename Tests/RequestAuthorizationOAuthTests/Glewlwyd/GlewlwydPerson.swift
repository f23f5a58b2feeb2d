// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import Foundation
import RequestAuthorizationOAuth
import RequestAuthorizationURLSession
import TestServers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Alice in front of her browser, as the server sees her.
struct GlewlwydPerson: Sendable {
    let server: Glewlwyd
    private let cookie: String

    /// Logs in and consents to the requests of some clients.
    init(at server: Glewlwyd, allowing clients: [String] = ["native", "web"]) async throws {
        let json = [(name: "Content-Type", value: "application/json")]
        let login = try await PatientTransport.patient.send(
            TokenRequest(
                url: try server.url("/api/auth"), fields: json,
                body: Array(#"{"username":"alice","password":"alicepass"}"#.utf8)))
        guard let cookie = login.headerValues(for: "Set-Cookie").first?.split(separator: ";").first else {
            throw Command.Failure(text: "no session: \(login)")
        }
        (self.server, self.cookie) = (server, String(cookie))
        for client in clients {
            let answer = try await PatientTransport.patient.send(
                TokenRequest(
                    method: "PUT", url: try server.url("/api/auth/grant/\(client)"),
                    fields: json + [(name: "Cookie", value: self.cookie)],
                    body: Array(#"{"scope":"openid read write"}"#.utf8)))
            guard answer.statusCode == 200 else { throw Command.Failure(text: "no grant: \(answer)") }
        }
    }

    /// Opens a client's authorization URL.
    ///
    /// - Returns: where the server sends the browser then.
    func open(_ page: URL) async throws -> URL { try await location(page.absoluteString + "&g_continue=") }

    /// Enters the code of a sign-in on another device.
    func enter(_ userCode: String) async throws {
        let form = try server.url("/api/oidc/device").absoluteString
        let page = try await location(form + "?code=\(userCode)&g_continue=")
        // If she has not allowed the client yet, the server asks her to, with a redirect too.
        guard page.query()?.contains("prompt=deviceComplete") == true else {
            throw Command.Failure(text: "not allowed: \(page)")
        }
    }

    private func location(_ page: String) async throws -> URL {
        let answer = try await PatientTransport.patient.send(
            TokenRequest(method: "GET", url: try .make(page), fields: [(name: "Cookie", value: cookie)]))
        guard answer.statusCode == 302, let location = answer.headerValues(for: "Location").first else {
            throw Command.Failure(text: "no redirect: \(answer)")
        }
        return try .make(location)
    }
}
#endif
