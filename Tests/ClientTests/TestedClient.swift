// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import ClientScenarios
import Foundation
import RequestAuthorization

/// An HTTP client as the scenarios see it. A new client is one such value and a line in ``ClientName/client``.
///
/// Each has its own connections, at most the given number per server, and tries to connect only once.
protocol TestedClient: Sendable {
    /// The capabilities that it lacks, with the reason: a footnote of the table.
    var lacks: [Capability: String] { get }

    /// The memory in bytes that the client itself keeps after 10 000 requests.
    var growth: Int { get }

    /// Sends a call as a user of this client would, and returns the whole answer.
    func send(_ call: Call, authorizedBy provider: any AuthorizationProvider) async throws -> Reply

    /// Whether an error comes from the client, not from this package.
    func isOwn(_ error: any Error) -> Bool

    func close() async throws
}

extension TestedClient {
    var growth: Int { 0 }
}

/// The request to send.
struct Call: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Can be read only once.
        case once([UInt8])
    }

    var method = "GET"
    var url: URL
    var fields: [String: String] = [:]
    var body = Body.none
    var refreshCount = 1

    init(_ url: URL) { self.url = url }

    static func post(_ url: URL, _ body: Body, contentType: String = "application/octet-stream") -> Call {
        var call = Call(url)
        call.method = "POST"
        call.fields["Content-Type"] = contentType
        call.body = body
        return call
    }
}

/// The answer.
struct Reply: Sendable, Equatable {
    let status: Int
    /// The lines of `WWW-Authenticate`.
    let challenges: [String]
    let body: [UInt8]

    init(_ response: some AuthorizableResponse, body: some Sequence<UInt8>) {
        status = response.statusCode
        challenges = response.headerValues(for: "WWW-Authenticate")
        self.body = Array(body)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}
#endif
