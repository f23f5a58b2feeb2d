// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if Full
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationURLSession
#endif

/// The client under test for suites of other projects, such as the official client suite of the Model Context Protocol.
///
///     MCP_CONFORMANCE_SCENARIO=auth/dpop conformance-client http://localhost:3000/mcp
///
/// The last argument is the URL of the server. `MCP_CONFORMANCE_CONTEXT` has what the client is given, as JSON, and
/// `MCP_CONFORMANCE_PROTOCOL_VERSION` the version of the protocol. The exit status is 1 if a call is not answered with success.
@main
enum ConformanceClient {
    static func main() async {
        #if Full
        do {
            let context = try SuiteContext()
            let provider = try await context.provider()
            var session: String?
            for call in Call.all(of: context.version) {
                let request = call.request(to: context.url, context.version, session)
                let (_, response) = try await URLSession.shared.data(for: request, authorizedBy: provider)
                let answer = response as? HTTPURLResponse
                session = answer?.value(forHTTPHeaderField: "Mcp-Session-Id") ?? session
                say("\(call.method): \(answer?.statusCode ?? 0)")
                if (answer?.statusCode ?? 0) / 100 != 2 { exit(1) }
            }
        } catch {
            say("\(error)")
            exit(1)
        }
        #else
        say("it needs the trait Full")
        exit(2)
        #endif
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
