// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error answer of the Web API.
public struct SpotifyError: Error, Hashable, Sendable {
    /// The kind of error object.
    public enum Form: Hashable, Sendable {
        /// `{"error": {"status": 404, "message": "…"}}`
        case regular
        /// The same with a `reason`: the player refused.
        case player
        /// `{"error": "…", "error_description": "…"}`, as the accounts service writes it (RFC 6749 §5.2).
        case authentication
        /// None of these, for instance an empty body or HTML.
        case unknown
    }

    /// The HTTP status.
    public let status: Int
    public let form: Form
    /// The message of Spotify, without control characters and at most 200 characters long; empty if there is none.
    public let message: String
    /// Why the player refused.
    public let reason: PlayerErrorReason?
    /// The `error` of an authentication error object, for instance `invalid_client`.
    public let code: String?
    /// The wait that Spotify asked for.
    public let retryAfter: Duration?

    /// Parses an answer.
    init(status: Int, body: Data, retryAfter: Duration? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        if let object = try? JSONDecoder().decode(Regular.self, from: body).error {
            form = object.reason == nil ? .regular : .player
            message = Self.printable(object.message ?? "")
            reason = object.reason.map { PlayerErrorReason(rawValue: Self.printable($0)) }
            code = nil
        } else if let object = try? JSONDecoder().decode(Authentication.self, from: body) {
            form = .authentication
            message = Self.printable(object.error_description ?? "")
            (reason, code) = (nil, Self.printable(object.error))
        } else {
            (form, message, reason, code) = (.unknown, "", nil, nil)
        }
    }

    // MARK: -

    private struct Regular: Decodable {
        struct Details: Decodable {
            let message: String?
            let reason: String?
        }
        let error: Details
    }

    private struct Authentication: Decodable {
        let error: String
        let error_description: String?
    }

    /// Removes characters that could control a terminal or a log.
    private static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.prefix(200).filter { $0.properties.isPrintable })
        return String(scalars)
    }
}

extension SpotifyError: CustomStringConvertible {
    public var description: String {
        let said = [code, reason?.rawValue, message.isEmpty ? nil : message].compactMap(\.self).joined(separator: ", ")
        return "Spotify answered \(status)" + (said.isEmpty ? "" : " (\(said))") + (advice.map { ": \($0)" } ?? "")
    }

    /// What to do about the error.
    private var advice: String? {
        if let advice = reason?.advice { return advice }
        switch status {
        case 401: return "sign in again"
        case 403: return "check that the user is registered for the app, and that its quota mode has this call"
        case 429: return retryAfter.map { "try again in \($0.components.seconds) s" } ?? "try again later"
        case 500...: return "try again later"
        default: return nil
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Excludes control and format characters, because the latter can change the direction of text.
    fileprivate var isPrintable: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
