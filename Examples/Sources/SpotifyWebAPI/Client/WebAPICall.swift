// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A call of the Web API as a value.
struct WebAPICall: Sendable {
    var method = "GET"
    /// Below the base, for instance `/v1/me`, percent-encoded.
    let path: String
    var query: [(name: String, value: String)] = []
    var body: Data?
    var scopes = ScopeRequirement.none

    /// A call with a body in JSON.
    func json(_ value: some Encodable) throws -> WebAPICall {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var call = self
        call.body = try encoder.encode(value)
        return call
    }

    /// The request, without credential.
    ///
    /// - Throws: `URLError` if the base cannot be extended.
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
            request.httpBody = Data()  // Spotify wants a Content-Length, of zero too.
        }
        return request
    }

    /// For a part of a path or of a query: an id from outside can neither leave its place nor add a parameter.
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
