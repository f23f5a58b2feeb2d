// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Where a log-in may lead: one of our own pages, from this list and from nowhere else.
///
/// An address taken from the request would let anybody send our users on to a page of his (an open redirect, RFC 9700 §4.11).
enum ReturnPath: String, CaseIterable, Codable, Hashable, Sendable {
    case home = "/"
    case profile = "/me"
    case nowPlaying = "/now"

    /// The query parameter's name.
    static let parameter = "return_to"

    /// The page that a request asks for, or the profile if it asks for anything that is not in the list.
    init(asked: String?) { self = asked.flatMap(ReturnPath.init(rawValue:)) ?? .profile }

    /// The path as a query parameter's value.
    var escaped: String { rawValue.replacing("/", with: "%2F") }

    /// `/login?return_to=%2Fme`
    var logInPath: String { "/login?\(Self.parameter)=\(escaped)" }
}
