// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)

/// Stores the cookies of responses, in place of swift-corelibs-foundation.
///
/// A session that accepts cookies there parses each header line for them, which is 15 % of the instructions of a whole
/// request on loopback. So the carrier's sessions without a cache accept none, and each call stores those of its answer.
/// A session with a cache accepts them itself: the cookies of a cached answer must not be stored again.
struct CookieAcceptance: Sendable {
    private let storage: HTTPCookieStorage?

    /// - Parameter configuration: the configuration of the user's session.
    init(_ configuration: URLSessionConfiguration) {
        storage = configuration.acceptsCookies ? configuration.httpCookieStorage : nil
    }

    func accept(from response: URLResponse?) {
        guard let storage, let response = response as? HTTPURLResponse, let url = response.url,
            let field = response.allHeaderFields["Set-Cookie"] as? String
        else { return }
        let cookies = Self.lines(of: field).flatMap {
            HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url)
        }
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }

    /// The lines of the field, which Foundation has joined with a comma and a space.
    ///
    /// A date contains these characters too, but no name and equals sign follow there. Foundation itself cuts a joined
    /// field only before names without any special character, and would lose PHP's `user[name]=…`.
    private static func lines(of field: String) -> [String] {
        field.components(separatedBy: ", ").reduce(into: []) { lines, piece in
            let isCookie = piece.utf8.prefix { $0 != UInt8(ascii: ";") }.contains(UInt8(ascii: "="))
            if isCookie || lines.isEmpty { lines.append(piece) } else { lines[lines.count - 1] += ", " + piece }
        }
    }
}

extension URLSessionConfiguration {
    var acceptsCookies: Bool { httpCookieAcceptPolicy != .never }
}
#endif
