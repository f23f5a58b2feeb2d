// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: agent
/// Lists the tools of an MCP server. The program knows its URL, and nothing of who guards it.
///
/// Servers that know client id metadata documents take the URL of one as the client. Elsewhere the program registers.
func listTools(at url: URL, document: String?) async throws {
    let auth = ProtectedResourceAuthorization(
        url.absoluteString, client: ClientIdentity(name: "first-agent", document: document),
        records: .items(.tool(client: "first-agent")), policy: .tool, transport: URLSession.shared,
        // It listens on 127.0.0.1 until the browser comes back.
        signIn: .through(.loopback, show: { page in tell("Open \(page) and allow it.") }) { ask in
            tell("`\(ask.issuer)` guards `\(ask.resource)`.")
            return true  // A program with a user asks here; no page is shown without a yes.
        })
    var session: String?  // Many servers give one with the first answer.
    for method in ["initialize", "notifications/initialized", "tools/list"] {
        var request = try message(method, to: url)
        request.setValue(session, forHTTPHeaderField: "Mcp-Session-Id")
        let (data, response) = try await URLSession.shared.data(for: request, authorizedBy: auth)
        guard let answer = response as? HTTPURLResponse, [200, 202].contains(answer.statusCode) else {
            throw Refused(method)
        }
        session = session ?? answer.value(forHTTPHeaderField: "Mcp-Session-Id")
        if !data.isEmpty { print(String(decoding: data, as: UTF8.self)) }
    }
    // Waits until a refresh that has begun is stored.
    try await auth.settle(within: .seconds(10))
}
// end sample

/// A request of the Model Context Protocol, version 2025-11-25.
func message(_ method: String, to url: URL) throws -> URLRequest {
    let about = #"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"first-agent","version":"1"}}"#
    let parameters = method == "initialize" ? about : "{}"
    let id = method.hasPrefix("notifications/") ? "" : #""id":1,"#
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"jsonrpc":"2.0",\#(id)"method":"\#(method)","params":\#(parameters)}"#.utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
    request.setValue("2025-11-25", forHTTPHeaderField: "MCP-Protocol-Version")
    return request
}

struct Refused: Error {
    let method: String
    init(_ method: String) { self.method = method }
}

func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// `swift run --package-path Examples first-agent URL [DOCUMENT]`, while
/// `swift run --package-path Tests/Servers scenarios metadata-default 2025-11-25` runs, which prints the URL.
@main struct FirstAgent {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard let url = words.first.flatMap(URL.init(string:)) else {
            tell("first-agent needs the URL of an MCP server")
            exit(64)
        }
        try await listTools(at: url, document: words.dropFirst().first)
    }
}
