// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationOAuth

/// A message of an MCP client, as much of it as the bridge needs.
struct Message {
    struct Face: Decodable {
        let id: JSONValue?
        let method: String?
    }

    let line: String
    let id: JSONValue?
    let method: String?

    init(_ line: String) {
        let face = try? JSONDecoder().decode(Face.self, from: Data(line.utf8))
        // A response of the client has an id and no method, and is not answered.
        (self.line, method) = (line, face?.method)
        id = method == nil ? nil : face?.id
    }
}
