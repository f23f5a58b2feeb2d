// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Makes the request that follows a redirect (RFC 9110 §15.4), as a value without session or task.
///
/// A credential is kept only within its origin. Once removed, it is not added again, even if a later redirect leads
/// back to the first origin: another server chose that redirect.
struct RedirectRule: Sendable {
    /// The highest number of redirects that are followed, the same as `URLSession`'s own.
    static let limit = 20

    /// The names of the provider's fields, in lower case, which are removed in addition to `alwaysCredentials`.
    var credentialFields: Set<String> = []

    /// Whether the session itself adds a credential to every request (`httpAdditionalHeaders`).
    var sessionAddsCredential = false

    /// The request that follows a redirect; `nil` if the caller gets the redirect itself.
    ///
    /// - Parameter hasReplayableBody: whether the body, in the request or separate, can be sent again.
    func redirection(
        after response: HTTPURLResponse, to request: URLRequest, hasBody: Bool, hasReplayableBody: Bool
    ) -> Redirection? {
        guard let source = request.url, let target = Self.target(of: response, from: source) else { return nil }
        var next = request
        next.url = target
        let method = request.requestMethod ?? "GET"
        let becomesGET = Self.becomesGET(method, after: response.statusCode)
        if becomesGET {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.removeFields { Self.contentFields.contains($0.lowercased()) }
        } else if hasBody {
            // RFC 9110 §15.4.8, §15.4.9: the body is sent again, or the redirect is not followed.
            guard hasReplayableBody else { return nil }
        }
        let redirection = Redirection(request: next, keepsBody: !becomesGET, keepsCredential: true)
        return admitted(redirection, from: source, hasBody: hasBody && !becomesGET)
    }

    /// Removes the credential if the redirection leaves the origin.
    ///
    /// - Parameter hasBody: whether a body goes with it, in the request or separate.
    /// - Returns: `nil` if the redirection has no origin, if its body would go from `https` to `http`, or if the session
    ///   would add a credential to it.
    func admitted(_ redirection: Redirection, from source: URL, hasBody: Bool) -> Redirection? {
        let isEncrypted = redirection.request.url?.absoluteString.isEncryptedURL == true
        if hasBody, source.absoluteString.isEncryptedURL, !isEncrypted { return nil }
        guard let origin = redirection.request.origin, origin != Origin(source) else {
            return redirection.request.origin == nil ? nil : redirection
        }
        guard !sessionAddsCredential else { return nil }
        var redirection = redirection
        redirection.keepsCredential = false
        redirection.request.removeFields { isCredential($0.lowercased()) || $0.isSameField(as: "Host") }
        return redirection
    }
}

/// The request that follows a redirect.
struct Redirection: Sendable {
    var request: URLRequest
    /// Whether a body that is separate from the request is sent again.
    var keepsBody: Bool
    /// Whether the target has the origin that the credential is for, and no delegate has removed or replaced it.
    var keepsCredential: Bool
}

extension RedirectRule {
    func isCredential(_ name: String) -> Bool {
        Self.alwaysCredentials.contains(name) || credentialFields.contains(name)
    }

    /// Whether a request has a credential of a provider.
    func isCredentialHeld(by request: URLRequest) -> Bool {
        if request.credential(in: "Authorization") != nil { return true }
        return credentialFields.contains { request.credential(in: $0) != nil }
    }

    /// Whether a request that the session's delegate has made still has the credential of the proposed one.
    func isCredentialKept(of proposed: URLRequest, in request: URLRequest) -> Bool {
        let names = credentialFields.isEmpty ? ["authorization"] : credentialFields
        return names.allSatisfy { request.credential(in: $0) == proposed.credential(in: $0) }
    }

    /// The fields that always count as credentials, whether a provider or the caller set them.
    private static let alwaysCredentials: Set = ["authorization", "dpop", "cookie", "proxy-authorization"]

    /// The fields that describe a body and are removed with it (RFC 9110 §15.4, RFC 9530).
    private static let contentFields: Set = [
        "content-type", "content-length", "content-encoding", "content-language", "content-location", "content-range",
        "content-digest", "digest", "last-modified", "repr-digest", "transfer-encoding", "expect",
    ]

    /// The URL of a redirect, resolved against the request's URL, whose fragment it inherits (RFC 9110 §10.2.2).
    ///
    /// User information is removed: `URLSession` would make a Basic credential of it.
    private static func target(of response: HTTPURLResponse, from source: URL) -> URL? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), !location.isEmpty,
            let resolved = URL(string: location, relativeTo: source)?.absoluteURL,
            var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return nil }
        // `URLSession` accepts schemes in lower case only; RFC 3986 §3.1 compares them without case.
        parts.scheme = parts.scheme?.lowercased()
        (parts.user, parts.password) = (nil, nil)
        if parts.percentEncodedFragment == nil { parts.percentEncodedFragment = source.fragment(percentEncoded: true) }
        return parts.url
    }

    /// RFC 9110 §15.4.2–§15.4.4, as in browsers: 303 changes all methods but HEAD to GET, 301 and 302 only POST.
    private static func becomesGET(_ method: String, after status: Int) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }
}
