// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension LocalSpotify {
    /// An app that is registered with the accounts service.
    public struct Client: Hashable, Sendable {
        public let id: String
        /// The secret of a confidential client; `nil` for a public one.
        public let secret: String?
        /// Requests must match one of them exactly, except for the port of a loopback address.
        public let redirectURIs: [String]
        /// The name on the consent page.
        public let name: String

        /// - Parameters:
        ///   - secret: makes it a confidential client.
        ///   - redirectURIs: `https`, `http` with `127.0.0.1` or `[::1]`, or a scheme of the app's own. `localhost` is
        ///     not allowed, as with Spotify.
        ///   - name: the name for users; by default the id.
        public init(id: String, secret: String? = nil, redirectURIs: [String], name: String? = nil) {
            self.id = id
            self.secret = secret
            self.redirectURIs = redirectURIs
            self.name = name ?? id
        }

        var isPublic: Bool { secret == nil }
    }
}

extension LocalSpotify.Client {
    /// A tool or an app that cannot keep a secret: `local-client`.
    public static let local = Self(
        id: "local-client",
        redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback", "local-app://login-callback"],
        name: "Local Client")

    /// A web app whose server keeps the secret: `local-web`, `local-secret`.
    public static let localConfidential = Self(
        id: "local-web", secret: "local-secret",
        redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback", "local-app://login-callback"],
        name: "Local Web App")
}

extension LocalSpotify.Client: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Client(\(id)\(isPublic ? "" : ", secret: [redacted]"))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "redirectURIs": redirectURIs]) }
}
