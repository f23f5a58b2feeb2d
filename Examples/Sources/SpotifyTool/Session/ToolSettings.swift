// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// With whom the tool talks, and for which account; from the command line and the environment.
public struct ToolSettings: Hashable, Sendable {
    /// Spotify itself, or the stand-in on this machine.
    enum Destination: Hashable, Sendable {
        case spotify(clientID: String, hasSecret: Bool)
        case local(URL)
    }

    let destination: Destination
    /// The name that the token is kept under.
    let account: String
    /// Of the app at Spotify, if it has one; a public client has none. Private, and never printed.
    private let secret: Secret?

    /// - Parameters:
    ///   - local: whether to talk to what `spotify serve` runs.
    ///   - account: tells several sign-ins apart; any name.
    ///   - environment: has `CLIENT_ID` and perhaps `CLIENT_SECRET`, or `SPOTIFY_LOCAL` where that is not at the usual port.
    /// - Throws: ``ToolFailure`` with ``ExitStatus/configuration``.
    public init(
        local: Bool, account: String, environment: [String: String]
    ) throws {
        self.account = account
        if local {
            (destination, secret) = (.local(try Self.localService(environment)), nil)
            return
        }
        guard let clientID = environment["CLIENT_ID"], !clientID.isEmpty else {
            throw ToolFailure(
                .configuration, "CLIENT_ID is not set",
                advice:
                    "Set it to the client ID of your app at https://developer.spotify.com/dashboard, or add --local to "
                    + "use the Spotify that `spotify serve` runs.")
        }
        secret = environment["CLIENT_SECRET"].flatMap { $0.isEmpty ? nil : Secret(text: $0) }
        destination = .spotify(clientID: clientID, hasSecret: secret != nil)
    }

    /// The client that tokens are issued for.
    var clientID: String {
        switch destination {
        case .spotify(let clientID, _): clientID
        case .local: "local-client"
        }
    }

    var clientSecret: String? { secret?.text }
    var isLocal: Bool { if case .local = destination { true } else { false } }

    /// What it talks to, for people.
    var serviceName: String {
        switch destination {
        case .spotify: "Spotify"
        case .local(let url): "the local Spotify at \(url.absoluteString)"
        }
    }

    /// A command with the options that make it talk to the same service, for advice.
    func command(_ name: String) -> String {
        "spotify \(name)" + (isLocal ? " --local" : "")
            + (account == Self.defaultAccount ? "" : " --account \(account)")
    }

    /// The account of who has just one.
    public static let defaultAccount = "me"

    // MARK: -

    private struct Secret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let text: String
        var description: String { "[redacted]" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A token goes there: nothing but this machine will do.
    private static func localService(_ environment: [String: String]) throws -> URL {
        let text = environment[LocalService.variable].flatMap { $0.isEmpty ? nil : $0 } ?? LocalService.defaultAddress
        guard let url = URL(string: text), url.scheme == "http", url.port != nil,
            ["127.0.0.1", "[::1]", "::1"].contains(url.host()), ["", "/"].contains(url.path()), url.user() == nil,
            url.query() == nil, url.fragment() == nil
        else {
            throw ToolFailure(
                .configuration, "\(LocalService.variable) must be an address like \(LocalService.defaultAddress)",
                advice: "Set it to what `spotify serve` prints.")
        }
        return url
    }
}
