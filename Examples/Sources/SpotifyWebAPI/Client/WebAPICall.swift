// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of the Web API as a value.
struct WebAPICall: Sendable {
    var method = "GET"
    /// The path below the base URL, for instance `/v1/me`, percent-encoded.
    let path: String
    var query: [(name: String, value: String)] = []
    var body: Data?
    var scopes = ScopeRequirement.none

    /// The same call with a JSON body.
    func json(_ value: some Encodable) throws -> WebAPICall {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var call = self
        call.body = try encoder.encode(value)
        return call
    }

    /// The request without the credential.
    ///
    /// - Throws: `URLError` if the URL cannot be built.
    func request(at base: URL) throws -> URLRequest {
        let root = base.absoluteString.hasSuffix("/") ? String(base.absoluteString.dropLast()) : base.absoluteString
        let parameters = query.map { "\(Self.escape($0.name))=\(Self.escape($0.value))" }.joined(separator: "&")
        guard let url = URL(string: root + path + (parameters.isEmpty ? "" : "?\(parameters)")) else {
            throw URLError(.badURL)
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body
        } else if method != "GET" {
            request.httpBody = Data()  // Spotify requires a Content-Length, even of zero.
        }
        return request
    }

    /// Escapes a part of a path or of a query. So a foreign id cannot add a path component or a parameter.
    static func escape(_ text: some StringProtocol) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~".utf8)
        return text.utf8.reduce(into: "") { result, byte in
            if plain.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
