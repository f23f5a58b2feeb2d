// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Crypto
import FlyingFox
import Foundation
import LoopbackHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An answer that the reference client got.
struct Reply {
    let data: Data
    let response: HTTPURLResponse

    var status: Int { response.statusCode }
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:] }
    func text(_ member: String) -> String? { object[member] as? String }
    func list(_ member: String) -> [String]? { object[member] as? [String] }
    func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// A parameter of `WWW-Authenticate`.
    func challenge(_ name: String) -> String? {
        let quoted = try? Regex("\(name)=\"([^\"]*)\"", as: (Substring, Substring).self)
        return quoted.flatMap { (field("WWW-Authenticate") ?? "").firstMatch(of: $0) }.map { String($0.output.1) }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Plain requests: nothing of the library that the scenarios measure.
enum Wire {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        (configuration.urlCache, configuration.httpCookieStorage) = (nil, nil)
        return URLSession(configuration: configuration)
    }()

    static func send(_ request: URLRequest) async throws -> Reply {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw Failure("no HTTP") }
        return Reply(data: data, response: response)
    }

    static func get(_ text: String) async throws -> Reply { try await send(URLRequest(url: url(text))) }

    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Failure("no URL: \(text)") }
        return url
    }

    static func encode(_ parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map { "\($0)=\(escape($1))" }.joined(separator: "&")
    }

    static func escape(_ text: String) -> String {
        let allowed = CharacterSet(charactersIn: "-._").union(.alphanumerics)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    static func post(_ text: String, form: [String: String], _ fields: [String: String] = [:]) async throws -> Reply {
        try await post(text, Data(encode(form).utf8), "application/x-www-form-urlencoded", fields)
    }

    static func post(_ text: String, json: [String: Any]) async throws -> Reply {
        try await post(text, try JSONSerialization.data(withJSONObject: json), "application/json", [:])
    }

    private static func post(
        _ text: String, _ body: Data, _ type: String, _ fields: [String: String]
    ) async throws -> Reply {
        var request = try URLRequest(url: url(text))
        request.httpMethod = "POST"
        request.httpBody = body
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return try await send(request)
    }

    // MARK: Signatures

    static func jwt(_ header: [String: Any], _ claims: [String: Any], _ key: P256.Signing.PrivateKey) throws -> String {
        let text = try [header, claims].map { try base64URL(JSONSerialization.data(withJSONObject: $0)) }
            .joined(separator: ".")
        return try text + "." + base64URL(key.signature(for: Data(text.utf8)).rawRepresentation)
    }

    static func base64URL(_ data: some Sequence<UInt8>) -> String {
        Data(data).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func hash(_ text: String) -> String { base64URL(SHA256.hash(data: Data(text.utf8))) }
}

/// What the browser brought to the redirect URI.
actor Inbox {
    private var parameters: [String: String]?

    func take() -> [String: String]? {
        defer { parameters = nil }
        return parameters
    }

    fileprivate func put(_ parameters: [String: String]) { self.parameters = parameters }

    /// Listens at a redirect URI with a free port.
    static func listen<Success>(_ body: (Inbox, _ redirectURI: String) async throws -> Success) async throws -> Success
    {
        let inbox = Inbox()
        let handler = ClosureHTTPHandler { request in
            await inbox.put(Dictionary(request.query.map { ($0.name, $0.value) }) { $1 })
            return HTTPResponse(statusCode: .ok)
        }
        return try await HTTPServer.serve(handler) { url in try await body(inbox, url.absoluteString + "/callback") }
    }
}
