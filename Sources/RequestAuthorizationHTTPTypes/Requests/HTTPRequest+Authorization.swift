// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
public import HTTPTypes
public import RequestAuthorization

/// A request of swift-http-types takes a credential: `try await request.authorize(using: .bearer("ABC"))`.
///
/// It needs a scheme and an authority, or nobody can tell where the credential would go: such a request is refused. A client
/// that keeps them elsewhere (a base URL) puts them in before.
extension HTTPRequest: AuthorizableRequest {
    /// Where scheme and authority lead, user information aside; `nil` without them, or if a path that does not begin with a
    /// slash would make another host of the authority.
    public var origin: Origin? {
        guard let scheme, let authority, hasPathOfItsOwn else { return nil }
        return URL(string: "\(scheme)://\(authority)/").flatMap { Origin($0) }
    }

    /// Whether the request shows no sign of a body, which the client carries beside it.
    ///
    /// True for `GET`, `HEAD`, `OPTIONS`, `TRACE` and `DELETE`, and for any method with a `Content-Length` of 0, unless another
    /// length or a `Transfer-Encoding` is set. Where a body can be sent twice, say `isReplayable: true` where you call `send`.
    public var isReplayable: Bool {
        if headerFields.contains(.transferEncoding) { return false }
        if let length = headerFields[.contentLength] { return length == "0" }
        return [.get, .head, .options, .trace, .delete].contains(method)
    }

    public func credential(in field: String) -> String? {
        guard let name = HTTPField.Name(field) else { return nil }
        return headerFields[values: name].first
    }

    /// Sets a header field to one value, in place of all that were there, names compared without case.
    ///
    /// It is marked as never to be indexed, so that neither HPACK nor QPACK keeps it in a table that others could probe
    /// (RFC 7541 §7.1.3, RFC 9204 §7.1.3). A value that no field can hold is not set, and neither does an older one stay:
    /// `authorize(using:)` and `send` throw then. (`HTTPField` would make blanks of what it cannot hold.)
    public mutating func setCredential(_ value: String, in field: String) {
        CredentialFields.current?.insert(field)
        let name = HTTPField.Name(field)
        guard let name, HTTPField.isValidValue(value) else {
            CredentialFields.current?.refuse()
            if let name { headerFields[fields: name] = [] }
            return
        }
        var credential = HTTPField(name: name, value: value)
        credential.indexingStrategy = .disallow
        headerFields[fields: name] = [credential]
    }

    /// Whether the request would be readable on the wire: anything but `https` and `wss`, and not to this machine.
    public var isPlaintext: Bool {
        switch scheme?.lowercased() {
        case "https", "wss": false
        default: origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
        }
    }

    public var requestMethod: String? { method.rawValue }

    public var targetURI: String? {
        guard let scheme, let authority, hasPathOfItsOwn else { return nil }
        return "\(scheme)://\(authority)\(path ?? "")".withoutFragment
    }

    /// Empty if the request shows no sign of a body, as for ``isReplayable``; else `nil`, because the client carries the body.
    public var bodyBytes: [UInt8]? { isReplayable ? [] : nil }

    /// Clients put authority and path together: `api.example.com` and `.evil.example/` would be another host.
    private var hasPathOfItsOwn: Bool {
        guard let first = path?.utf8.first else { return true }
        return first == UInt8(ascii: "/") || (method == .options && path == "*")
    }
}
#endif
