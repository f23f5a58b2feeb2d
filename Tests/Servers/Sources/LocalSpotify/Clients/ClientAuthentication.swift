// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The client that calls an endpoint, and whether it is authenticated (RFC 6749 §2.3).
enum ClientAuthentication {
    /// The request names no client.
    case noClient
    case client(LocalSpotify.Client)
    case refused(Refusal)

    /// Reads the `Authorization` field and the form. Only one of them may authenticate the client.
    init(_ call: Call, clients: [String: LocalSpotify.Client]) {
        guard let field = call.authorization else {
            self = Self.identify(call.form["client_id"], secret: call.form["client_secret"], clients)
            return
        }
        guard let (id, secret) = Self.basic(field) else {
            self = .refused(.client("The Authorization header field must be Basic", inHeader: true))
            return
        }
        // RFC 6749 §2.3: a request must not use more than one method.
        guard call.form["client_secret"] == nil, (call.form["client_id"] ?? id) == id else {
            self = .refused(Refusal("invalid_request", "More than one way of client authentication"))
            return
        }
        self = Self.identify(id, secret: secret, clients, inHeader: true)
    }

    // MARK: -

    private static func identify(
        _ id: String?, secret: String?, _ clients: [String: LocalSpotify.Client], inHeader: Bool = false
    ) -> Self {
        guard let id else {
            return secret == nil ? .noClient : .refused(.client("client_id must be supplied", inHeader: inHeader))
        }
        guard let client = clients[id] else { return .refused(.client("Invalid client", inHeader: inHeader)) }
        guard client.secret == secret else { return .refused(.client("Invalid client secret", inHeader: inHeader)) }
        return .client(client)
    }

    /// The id and the secret are form-encoded before they are joined (RFC 6749 §2.3.1).
    private static func basic(_ field: String) -> (id: String, secret: String)? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let pair = String(data: data, encoding: .utf8)
        else { return nil }
        let values = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Parameters.decode($0) }
        guard values.count == 2, let id = values[0], let secret = values[1] else { return nil }
        return (id, secret)
    }
}
