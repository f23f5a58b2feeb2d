// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The page to show after a log-in: one of our own pages from this list.
///
/// A URL from the request could send our users to an attacker's page (open redirect, RFC 9700 §4.11).
enum ReturnPath: String, CaseIterable, Codable, Hashable, Sendable {
    case home = "/"
    case profile = "/me"
    case nowPlaying = "/now"

    /// The query parameter's name.
    static let parameter = "return_to"

    /// The requested page, or the profile if the request names no page of the list.
    init(asked: String?) { self = asked.flatMap(ReturnPath.init(rawValue:)) ?? .profile }

    /// The path as a query parameter's value.
    var escaped: String { rawValue.replacing("/", with: "%2F") }

    /// `/login?return_to=%2Fme`
    var logInPath: String { "/login?\(Self.parameter)=\(escaped)" }
}
