// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && canImport(Glibc)
import LoopbackServer
import RequestAuthorizationOAuth

/// The faults of a token endpoint.
enum BadAnswer: CaseIterable {
    case html, htmlOfAGateway, truncated, empty, list, redirect, dropped, cutOff

    /// The answer; a redirect leads to another place on the same server.
    var answer: Answer {
        switch self {
        case .html: .status(200, ("Content-Type", "text/html"), body: "<!doctype html><title>Sign in</title>")
        case .htmlOfAGateway: .status(502, ("Content-Type", "text/html"), body: "<h1>Bad Gateway</h1>")
        case .truncated: .text(#"{"access_token":"a","token_type":"Bea"#)
        case .empty: .text("")
        case .list: .text(#"["access_token","a"]"#)
        case .redirect: .redirect(307, to: "/elsewhere")
        case .dropped: .drop
        case .cutOff: Answer(steps: [.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"acc".utf8)), .drop])
        }
    }

    /// Whether it ends with the expected error.
    func isMeant(by error: any Error) -> Bool {
        switch self {
        case .html, .truncated, .empty, .list: error is InvalidTokenResponse
        case .htmlOfAGateway: (error as? TokenEndpointError)?.status == 502
        case .redirect: (error as? TokenEndpointError)?.status == 307
        case .dropped, .cutOff:
            (error as? TokenTransportError)?.code == .connectionLost
                && (error as? TokenTransportError)?.delivery == .mayHaveBeenProcessed
        }
    }
}
#endif
