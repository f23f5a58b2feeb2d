// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The address of the page that a person is sent to (RFC 6749 §4.1.1).
enum AuthorizationRequest {
    /// Puts together an endpoint's own query, which stays (RFC 6749 §3.1), ours, and what the client says besides.
    ///
    /// No parameter is sent twice: ours come before the endpoint's, and the endpoint's before the client's.
    ///
    /// - Parameters:
    ///   - endpoint: without a fragment.
    ///   - ours: what makes the request what it is.
    ///   - extra: of the caller and of the client, the first to say something wins.
    static func url(
        of endpoint: URL, ours: [(name: String, value: String)], extra: [[String: String]]
    ) throws -> URL {
        let text = endpoint.absoluteString
        let mark = text.firstIndex(of: "?")
        let ownPairs = mark.map { Array(text[$0...].dropFirst().utf8) }?.split(separator: UInt8(ascii: "&")) ?? []
        let ourNames = Set(ours.map(\.name))
        let kept = ownPairs.filter { pair in FormPairs.name(of: pair).map { !ourNames.contains($0) } ?? true }
        var form = FormParameters(ours)
        for parameters in extra { form.add(extra: parameters) }
        let keptNames = Set(kept.compactMap { FormPairs.name(of: $0) })
        let added = form.list.filter { !keptNames.contains($0.name) }.map { "\(escape($0.name))=\(escape($0.value))" }
        let query = (kept.map { String(decoding: $0, as: UTF8.self) } + added).joined(separator: "&")
        guard let url = URL(string: "\(text[..<(mark ?? text.endIndex)])?\(query)") else {
            throw AuthorizationServerError(.notAURL, member: "authorization_endpoint")
        }
        return url
    }

    /// As forms are encoded (RFC 6749 App. B), but a space as `%20`, which those who read a query as a part of a URI
    /// understand too.
    private static func escape(_ text: String) -> String {
        FormEncoding.escape(text).split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}
