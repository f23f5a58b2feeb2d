// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
/// Authorizes a request of swift-http-types: `try await request.authorize(using: .bearer("ABC"))`.
///
/// The request needs a scheme and an authority, which say where the credential goes; without them it is refused. If
/// your client keeps them elsewhere (a base URL), set them first.
extension HTTPRequest: AuthorizableRequest {
    /// The origin that scheme and authority name, without user information.
    ///
    /// `nil` if one of them is missing, or if the path does not begin with a slash and would change the host.
    public var origin: Origin? {
        guard let scheme, let authority, hasPathOfItsOwn else { return nil }
        return URL(string: "\(scheme)://\(authority)/").flatMap { Origin($0) }
    }

    /// Whether the request has no body, judged by its method and fields: the client carries the body separately.
    ///
    /// True for `GET`, `HEAD`, `OPTIONS`, `TRACE` and `DELETE`, and for any method with a `Content-Length` of 0,
    /// unless another length or a `Transfer-Encoding` is set. For a body that can be sent twice, pass
    /// `isReplayable: true`.
    public var isReplayable: Bool {
        if headerFields.contains(.transferEncoding) { return false }
        if let length = headerFields[.contentLength] { return length == "0" }
        return [.get, .head, .options, .trace, .delete].contains(method)
    }

    public func credential(in field: String) -> String? {
        HTTPField.Name(field).flatMap { headerFields[values: $0].first }
    }

    /// Sets a header field to one value and removes its other values. Names are compared without case.
    ///
    /// The field is marked as never indexed: HPACK and QPACK keep it out of a table that an attacker could probe (RFC
    /// 7541 §7.1.3, RFC 9204 §7.1.3). A value that is not valid in a field is not set, and the old value is removed: no
    /// `Credential` has such a value. (`HTTPField` itself would replace invalid characters with spaces.)
    public mutating func setCredential(_ value: String, in field: String) {
        let name = HTTPField.Name(field)
        guard let name, HTTPField.isValidValue(value) else {
            if let name { headerFields[fields: name] = [] }
            return
        }
        var credential = HTTPField(name: name, value: value)
        credential.indexingStrategy = .disallow
        headerFields[fields: name] = [credential]
    }

    /// Whether others on the network could read the request.
    ///
    /// True for `http` and `ws`, except to loopback, and for a request without an origin.
    public var isPlaintext: Bool {
        guard let authority, !authority.isEmpty, hasPathOfItsOwn else { return true }
        return switch scheme?.lowercased() {
        case "https", "wss": false
        default: origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
        }
    }

    public var requestMethod: String? { method.rawValue }

    public var targetURI: String? {
        guard let scheme, let authority, hasPathOfItsOwn else { return nil }
        // RFC 9110 §7.1: the target `*` of OPTIONS is no path.
        return "\(scheme)://\(authority)\(path == "*" ? "" : path ?? "")".withoutFragment
    }

    /// Empty if the request has no body (see ``isReplayable``); else `nil`, because the client carries the body.
    public var bodyBytes: [UInt8]? { isReplayable ? [] : nil }

    /// Whether authority and path stay apart when a client joins them: `api.example.com` and `.evil.example/` do not.
    private var hasPathOfItsOwn: Bool {
        guard let first = path?.utf8.first else { return true }
        return first == UInt8(ascii: "/") || (method == .options && path == "*")
    }
}

/// Gives providers the status and the challenge fields of a response of swift-http-types.
extension HTTPResponse: AuthorizableResponse {
    public var statusCode: Int { status.code }

    public func headerValues(for field: String) -> [String] {
        HTTPField.Name(field).map { headerFields[values: $0] } ?? []
    }
}
#endif
