// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Decides where a redirect leads and what may go along (RFC 9110 §15.4): a value without session or task.
///
/// A credential goes along to the same origin only. Once it was left behind it does not come back, even if a later
/// redirect leads to where it came from: that redirect is not ours.
struct RedirectRule: Sendable {
    /// How many redirects are followed, as `URLSession` itself does.
    static let limit = 20

    /// The header fields that stay at their origin beside those that always do, in lower case.
    let credentialFields: Set<String>

    /// Whether the session puts a credential on every request by itself (`httpAdditionalHeaders`).
    let sessionAddsCredential: Bool

    init(credentialFields: Set<String> = [], sessionAddsCredential: Bool = false) {
        self.credentialFields = credentialFields
        self.sessionAddsCredential = sessionAddsCredential
    }

    /// The request that follows a redirect; `nil` to hand the redirect itself to the caller.
    ///
    /// - Parameter hasReplayableBody: whether the body, wherever it is carried, can be sent again.
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
            // RFC 9110 §15.4.8, §15.4.9: the body goes along, or the redirect is not followed.
            guard hasReplayableBody, !Self.isDowngrade(from: source, to: target) else { return nil }
        }
        return admitted(Redirection(request: next, keepsBody: !becomesGET, keepsCredential: true), from: source)
    }

    /// The redirection without credential if it leaves the origin; `nil` if it cannot be followed without one.
    func admitted(_ redirection: Redirection, from source: URL) -> Redirection? {
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

/// Where a redirect leads.
struct Redirection: Sendable {
    var request: URLRequest
    /// Whether a body that is carried beside the request goes along.
    var keepsBody: Bool
    /// Whether the target has the origin that the credential is for.
    var keepsCredential: Bool
}

extension RedirectRule {
    private func isCredential(_ name: String) -> Bool {
        Self.alwaysCredentials.contains(name) || credentialFields.contains(name)
    }

    /// The fields that are credentials, whoever set them.
    static let alwaysCredentials: Set = ["authorization", "dpop", "cookie", "proxy-authorization"]

    /// The fields that describe a body and go when it goes (RFC 9110 §15.4, RFC 9530).
    private static let contentFields: Set = [
        "content-type", "content-length", "content-encoding", "content-language", "content-location", "content-range",
        "content-digest", "digest", "last-modified", "repr-digest", "transfer-encoding", "expect",
    ]

    /// RFC 9110 §10.2.2: resolved against the request, which also lends its fragment. User information is not taken over:
    /// `URLSession` would make a Basic credential of it.
    private static func target(of response: HTTPURLResponse, from source: URL) -> URL? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"), !location.isEmpty,
            let resolved = URL(string: location, relativeTo: source)?.absoluteURL,
            var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return nil }
        // `URLSession` knows schemes in lower case alone, and RFC 3986 §3.1 compares them without case.
        parts.scheme = parts.scheme?.lowercased()
        parts.user = nil
        parts.password = nil
        if parts.percentEncodedFragment == nil { parts.percentEncodedFragment = source.fragment(percentEncoded: true) }
        return parts.url
    }

    /// RFC 9110 §15.4.2–§15.4.4, as browsers do it: 303 turns everything but HEAD into GET, 301 and 302 turn POST.
    private static func becomesGET(_ method: String, after status: Int) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }

    private static func isDowngrade(from source: URL, to target: URL) -> Bool {
        source.isEncrypted && !target.isEncrypted
    }
}
