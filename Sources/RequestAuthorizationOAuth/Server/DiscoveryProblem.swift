// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The errors of discovery that repeat something of the server's answer.
enum DiscoveryProblem {
    /// The answer is a redirect, which is not followed: it could lead to a server of someone else.
    ///
    /// - Returns: an error that names the target's origin, never its path or query; `nil` for another answer.
    static func redirect(_ response: TokenResponse, from url: URL) -> AuthorizationServerError? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = response.headerValues(for: "Location").first
        else { return nil }
        let start = "the server answers discovery with a redirect (\(response.statusCode))"
        guard let target = URL(string: location, relativeTo: url).flatMap({ Origin($0.absoluteURL) }),
            isPrintable(target)
        else { return error(.noMetadata, "\(start), which is not followed: check the issuer") }
        let advice =
            target == Origin(url)
            ? "within \(target), which is not followed: check the issuer's path, or set the endpoints yourself"
            : "to \(target), which is not followed: if that is the server that you mean, use its own issuer"
        return error(.noMetadata, "\(start) \(advice)")
    }

    /// The metadata name another issuer than the requested one (RFC 8414 §3.3).
    ///
    /// The error has the server's spelling if the host is the same. Of another host it names only the origin.
    static func otherIssuer(_ named: String, insteadOf issuer: String) -> AuthorizationServerError {
        if let advice = advice(forTemplate: named, at: issuer) { return error(.otherIssuer, advice) }
        // A text that is no plain URL is not repeated.
        let isPlain = named.utf8.allSatisfy { $0.isASCIILetterOrDigit || ":/.-_~[]%".utf8.contains($0) }
        guard isPlain, named.utf8.count <= 300, let origin = URL(string: named).flatMap({ Origin($0) }),
            isPrintable(origin)
        else { return error(.otherIssuer, nil) }
        guard origin.host == URL(string: issuer).flatMap({ Origin($0) })?.host else {
            let advice = "check the address, and the issuer in that server's configuration"
            return error(.otherIssuer, "the metadata name an issuer at \(origin): \(advice)")
        }
        return error(.otherIssuer, "the server spells it \(named): use exactly this text if it is the server you mean")
    }

    // MARK: -

    /// The advice for Microsoft's metadata for all tenants, whose issuer contains `{tenantid}`.
    ///
    /// - Returns: `nil` if the named issuer is no such template of the same origin.
    private static func advice(forTemplate named: String, at issuer: String) -> String? {
        let example = named.replacing("{tenantid}", with: "TENANT_ID")
        guard example != named, example == TerminalText.clean(example), let url = URL(string: example),
            let origin = Origin(url), origin == URL(string: issuer).flatMap({ Origin($0) })
        else { return nil }
        return "the issuer is that of all tenants; use the issuer of your tenant, \(example)"
    }

    private static func isPrintable(_ origin: Origin) -> Bool {
        origin.host.utf8.count <= 253 && origin.description.utf8.count <= 300
            && ["http", "https"].contains(origin.scheme)
    }

    private static func error(
        _ problem: AuthorizationServerError.Problem, _ detail: String?
    ) -> AuthorizationServerError {
        AuthorizationServerError(problem, member: "issuer", detail: detail)
    }
}
