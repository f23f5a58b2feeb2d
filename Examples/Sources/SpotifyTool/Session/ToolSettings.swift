// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import LocalSpotify

/// The service and the account of the tool, from the command line and the environment.
public struct ToolSettings: Hashable, Sendable {
    /// The address of the local Spotify, or `nil` for Spotify itself.
    let local: URL?
    /// The client that tokens are issued to.
    let clientID: String
    /// The account under which the token is stored.
    let account: String
    /// The client secret, which a public client does not have. It is never printed.
    private let secret: Secret?

    /// - Parameters:
    ///   - local: whether to use the local Spotify that `spotify serve` runs.
    ///   - account: any name that tells several sign-ins apart.
    ///   - environment: `CLIENT_ID` and optionally `CLIENT_SECRET`, or `SPOTIFY_LOCAL` if it is not at the usual port.
    /// - Throws: ``ToolFailure`` with ``ExitStatus/configuration``.
    public init(
        local: Bool, account: String, environment: [String: String]
    ) throws {
        self.account = account
        self.local = local ? try Self.localService(environment) : nil
        let named = environment["CLIENT_ID"].flatMap { $0.isEmpty ? nil : $0 }
        // The id and the secret of an app at Spotify are not sent to the local Spotify, which has clients of its own.
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

    /// The variable with the app's secret. An argument could be seen by all users of the machine.
    static let secretVariable = "CLIENT_SECRET"

    var clientSecret: String? { secret?.text }

    /// The name of the service for messages.
    var serviceName: String {
        local.map { "the local Spotify at \($0.absoluteString)" } ?? "Spotify"
    }

    /// Follows "signed in" in messages. Empty for the default account.
    var asAccount: String { account == Self.defaultAccount ? "" : " as \(account)" }

    /// A command with the options for the same service and account, for advice.
    func command(_ name: String) -> String {
        "spotify \(name)" + (local == nil ? "" : " --local")
            + (account == Self.defaultAccount ? "" : " --account \(account)")
    }

    /// The account of commands without `--account`.
    public static let defaultAccount = "me"

    // MARK: -

    private struct Secret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let text: String
        var description: String { "[redacted]" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Accepts an address on this machine only, because tokens are sent to it.
    private static func localService(_ environment: [String: String]) throws -> URL {
        let text = environment[LocalService.variable].flatMap { $0.isEmpty ? nil : $0 } ?? LocalService.defaultAddress
        guard let url = URL(string: text), url.scheme == "http", let port = url.port, (1...65535).contains(port),
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
