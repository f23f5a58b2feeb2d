// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A challenge of a server: a way in which it accepts credentials (RFC 9110 §11.3), for instance
/// `Bearer realm="api", error="invalid_token"`.
///
///     if let challenge = response.unauthorized?.challenges.first(where: \.requiresInteraction) {
///         print("sign in again for", challenge.scope.sorted(), challenge.acrValues)
///     }
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme as the server wrote it; compare with ``isScheme(_:)``.
    public let scheme: String

    /// The token68 that some schemes send instead of parameters (RFC 9110 §11.2).
    public let token68: String?

    /// The parameters. Names are in lower case; values have no quotes and escapes.
    public let parameters: [String: String]

    /// Whether the server broke the grammar in this challenge, so that parameters may be missing.
    ///
    /// The values that are there were read.
    public let isPartial: Bool

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - scheme: as the server writes it.
    ///   - token68: the value that some schemes send instead of parameters.
    ///   - parameters: of names that differ only in case, the first in alphabetical order is used.
    ///   - isPartial: whether parameters may be missing, because the server broke the grammar.
    package init(
        scheme: String, token68: String? = nil, parameters: [String: String] = [:], isPartial: Bool = false
    ) {
        self.scheme = scheme
        self.token68 = token68
        self.isPartial = isPartial
        self.parameters = parameters.sorted { $0.key < $1.key }.reduce(into: [:]) { result, parameter in
            let name = parameter.key.asciiLowercased
            if result[name] == nil { result[name] = parameter.value }
        }
    }

    /// Whether the challenge has this scheme, compared without case (RFC 9110 §11.1).
    public func isScheme(_ name: String) -> Bool { scheme.asciiLowercased == name.asciiLowercased }

    /// The scopes that the resource requires (RFC 6750 §3); empty if it names none.
    public var scope: Set<String> { Set((unquoted("scope") ?? "").split(separator: " ").map(String.init)) }

    /// Why the credential was refused, for instance `invalid_token` (RFC 6750 §3.1).
    public var error: String? { unquoted("error") }

    /// Whether only a new sign-in helps: for another scope (RFC 6750 §3.1) or a stronger log-in (RFC 9470 §3).
    public var requiresInteraction: Bool {
        error == "insufficient_scope" || error == "insufficient_user_authentication"
    }

    /// Where the metadata of the resource are (RFC 9728 §5.1); `nil` if the challenge does not say so.
    package var resourceMetadata: URL? { unquoted("resource_metadata").flatMap { URL(string: $0) } }

    /// The kinds of log-in that the resource accepts, the best first (RFC 9470 §3); empty if it names none.
    public var acrValues: [String] { (unquoted("acr_values") ?? "").split(separator: " ").map(String.init) }

    /// How long ago the user may have logged in (RFC 9470 §3); `nil` if that does not matter, or is no number of seconds.
    package var maxAge: Duration? {
        guard let text = unquoted("max_age"), text.utf8.allSatisfy(\.isASCIIDigit), let seconds = Int32(text) else {
            return nil
        }
        return .seconds(seconds)
    }

    /// The claims that the resource requires of a new token, as the text of a JSON object; `nil` if there are none.
    ///
    ///     HTTP/1.1 401 Unauthorized
    ///     WWW-Authenticate: Bearer error="insufficient_claims", claims="eyJhY2Nlc3NfdG9rZW4iOnt9fQ=="
    ///
    /// The parameter is Base64 of the object (Microsoft's continuous access evaluation). Without padding and as Base64URL
    /// it is read too; a longer text than 8 KiB is not.
    public var claims: String? {
        guard error == "insufficient_claims", let text = unquoted("claims"), text.utf8.count <= 8 << 10 else {
            return nil
        }
        var plain = text.replacing("-", with: "+").replacing("_", with: "/")
        while plain.hasSuffix("=") { plain.removeLast() }
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: plain + padding), bytes.first == UInt8(ascii: "{") else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A parameter without the single quotes that some servers put around it. By the grammar they belong to the value.
    private func unquoted(_ name: String) -> String? {
        guard let value = parameters[name], value.utf8.count > 1, value.hasPrefix("'"), value.hasSuffix("'") else {
            return parameters[name]
        }
        return String(value.dropFirst().dropLast())
    }
}

extension AuthenticationChallenge: OwnDescription {
    /// The scheme and the names of the parameters, with the values of `error`, `realm` and `scope`; "(partial)" if the
    /// challenge ``isPartial``.
    ///
    /// An `error` is shown if it is a word in lower case. Other values and a token68 are omitted: a server may have
    /// put a nonce or a part of the credential there.
    @usableFromInline package var ownDescription: String {
        let shown = parameters.keys.sorted().map { name in
            "\(Self.printable(name))=" + (shownValue(of: name).map { "\"\($0)\"" } ?? "…")
        }
        let rest = (token68 == nil ? [] : ["…"]) + shown
        let text = Self.printable(scheme) + (rest.isEmpty ? "" : " ") + rest.joined(separator: ", ")
        return isPartial ? text + " (partial)" : text
    }

    private func shownValue(of name: String) -> String? {
        switch name {
        case "error": ErrorCode.printable(parameters[name])
        case "realm", "scope": parameters[name].map(Self.printable)
        default: nil
        }
    }

    /// Returns at most 64 characters of a server's text, without characters that a terminal or a log would interpret.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(64).map { scalar -> Character in
            let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
            return isPlain ? Character(scalar) : "?"
        }
        return String(scalars) + (text.unicodeScalars.count > 64 ? "…" : "")
    }
}
