// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import LocalSpotify
import SpotifyWeb

#if Web
import RequestAuthorizationSpotify
import RequestAuthorizationURLSession
#endif

/// `spotify-web`: the web app.
@main
struct SpotifyWebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spotify-web", abstract: "A small web app: log in with Spotify, see what is playing, log out.",
        discussion: """
            With --local it uses its own stand-in for Spotify and needs no account. Otherwise it reads CLIENT_ID and \
            CLIENT_SECRET from the environment; register http://127.0.0.1/callback with Spotify as the app's redirect URI, \
            or PUBLIC-URL/callback.

            Built with the trait Fleet it can be one of several replicas. DATABASE_URL in the environment names the \
            PostgreSQL database that they share, and SESSION_KEY holds their key (openssl rand -base64 32). Earlier keys \
            may follow it, after commas. With --local, SPOTIFY_LOCAL names the stand-in that they share: `spotify serve`.

            By default it listens on 127.0.0.1. A public site needs a proxy in front that terminates TLS and passes the \
            Host field on. Pass its address with --public-url.
            """)

    @Flag(help: "Run against an embedded Spotify.")
    var local = false

    @Option(help: ArgumentHelp("The port to listen on; 0 for any free one.", valueName: "n"))
    var port: UInt16 = 8080

    @Option(help: ArgumentHelp("The interface to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp("The address of the site for browsers, such as https://music.example.com.", valueName: "url")
    )
    var publicURL: String?
}

#if Web
extension SpotifyWebCommand {
    func validate() throws {
        _ = try address
        guard publicURL != nil || ["127.0.0.1", "::1"].contains(host) else {
            throw ValidationError(
                "--host \(host) can be reached from other machines: pass the public address with --public-url.")
        }
        guard local || secrets != nil else {
            throw ValidationError("Set CLIENT_ID and CLIENT_SECRET, or pass --local.")
        }
        if local { _ = try standIn }
    }

    func run() async throws {
        if local, let spotify = try standIn {
            try await serve(local: spotify)
        } else if local {
            try await LocalSpotify().serve { try await serve(local: $0) }
        } else if let (id, secret) = secrets {
            try await serve(clientID: id, clientSecret: secret, accounts: .spotify, webAPI: nil)
        }
    }

    private func serve(local spotify: URL) async throws {
        let client = LocalSpotify.Client.localConfidential
        try await serve(
            clientID: client.id, clientSecret: client.secret ?? "", accounts: .spotify(accounts: spotify),
            webAPI: spotify)
    }

    private func serve(
        clientID: String, clientSecret: String, accounts: AuthorizationServer, webAPI: URL?
    ) async throws {
        // sample: service
        let service = SpotifyTokenService.authorizationCode(
            clientID: clientID, clientSecret: clientSecret, accounts: accounts, transport: URLSession.shared)
        let site = SpotifyWebSite(service: service, address: try address, webAPI: webAPI)
        // end sample
        #if Fleet
        if let database = try await database {
            // sample: replica
            let site = SpotifyWebSite(service: service, database: database, address: try address, webAPI: webAPI)
            // end sample
            return try await run(site)
        }
        #else
        guard shared("DATABASE_URL") == nil else {
            throw ValidationError("This was built without the trait Fleet, which DATABASE_URL needs.")
        }
        #endif
        try await run(site)
    }

    #if Fleet
    /// The database that the replicas share; `nil` if this is the only replica.
    private var database: SiteDatabase? {
        get async throws {
            guard let url = shared("DATABASE_URL") else { return nil }
            let keys = (shared("SESSION_KEY") ?? "").split(separator: ",")
                .map { Data(base64Encoded: String($0)) ?? Data() }
            guard let key = keys.first, keys.allSatisfy({ $0.count == 32 }) else {
                throw ValidationError("Set SESSION_KEY to 32 random bytes in base64: openssl rand -base64 32.")
            }
            return try await SiteDatabase(connection: url, key: key, oldKeys: Array(keys.dropFirst()))
        }
    }
    #endif

    private func run(_ site: SpotifyWebSite) async throws {
        try await site.run(host: host, port: Int(port)) { address in
            // Not `print`: its output would be buffered in a pipe.
            try? FileHandle.standardOutput.write(
                contentsOf: Data("Open \(address)/ in a browser; Ctrl-C ends it.\n".utf8))
        }
    }

    private var address: SiteAddress {
        get throws { try publicURL.map { try SiteAddress(published: $0) } ?? .loopback }
    }

    /// The stand-in that replicas share; `nil` if this program runs its own.
    private var standIn: URL? {
        get throws {
            guard let text = shared("SPOTIFY_LOCAL") else { return nil }
            guard let url = URL(string: text), url.scheme == "http", url.host() != nil, url.port != nil else {
                throw ValidationError("SPOTIFY_LOCAL must be an address like http://127.0.0.1:8181.")
            }
            return url
        }
    }

    /// A variable of the environment that is not empty.
    private func shared(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The app's id and secret, from the environment: other users of the machine can see a process's arguments.
    private var secrets: (id: String, secret: String)? {
        let environment = ProcessInfo.processInfo.environment
        guard let id = environment["CLIENT_ID"], let secret = environment["CLIENT_SECRET"], !id.isEmpty, !secret.isEmpty
        else { return nil }
        return (id, secret)
    }
}
#else
extension SpotifyWebCommand {
    func run() async throws {
        throw ValidationError(
            "This was built without the web framework. Build it with its trait:\n"
                + "    swift run --package-path Examples --traits Web spotify-web --local")
    }
}
#endif
