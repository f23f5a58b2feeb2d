// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify

/// With whom the tool talks, and for which account; from the command line and the environment.
public struct ToolSettings: Hashable, Sendable {
    /// The stand-in on this machine; `nil` for Spotify itself.
    let local: URL?
    /// The client that tokens are issued for.
    let clientID: String
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
        self.local = local ? try Self.localService(environment) : nil
        let named = environment["CLIENT_ID"].flatMap { $0.isEmpty ? nil : $0 }
        // What belongs to an app at Spotify is not sent to the stand-in, which has clients of its own.
        let usesNamed = !local || named == LocalSpotify.Client.localConfidential.id
        guard let clientID = usesNamed ? named : LocalSpotify.Client.local.id else {
            throw ToolFailure(
                .configuration, "CLIENT_ID is not set",
                advice:
                    "Set it to the client ID of your app at https://developer.spotify.com/dashboard, or add --local to "
                    + "use the Spotify that `spotify serve` runs.")
        }
        self.clientID = clientID
        secret = usesNamed ? environment[Self.secretVariable].flatMap { $0.isEmpty ? nil : Secret(text: $0) } : nil
    }

    /// The variable with the app's secret: arguments would be seen by everybody on the machine.
    static let secretVariable = "CLIENT_SECRET"

    var clientSecret: String? { secret?.text }

    /// What it talks to, for people.
    var serviceName: String {
        local.map { "the local Spotify at \($0.absoluteString)" } ?? "Spotify"
    }

    /// Behind "signed in": who has just one account needs no name for it.
    var asAccount: String { account == Self.defaultAccount ? "" : " as \(account)" }

    /// A command with the options that make it talk to the same service, for advice.
    func command(_ name: String) -> String {
        "spotify \(name)" + (local == nil ? "" : " --local")
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
