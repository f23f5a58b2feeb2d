// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// With `CI` set, warnings are errors. Without it, a new warning of a newer compiler does not break a user's build.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

let library = "swift-request-authorization"

extension Target.Dependency {
    /// A product of the library: `.ours("Spotify")` is `RequestAuthorizationSpotify`.
    static func ours(_ name: String = "") -> Self { .product(name: "RequestAuthorization\(name)", package: library) }
    /// A server of `Tests/Servers`.
    static func server(_ name: String) -> Self { .product(name: name, package: "Servers") }
    static var localSpotify: Self { .server("LocalSpotify") }
    static var argumentParser: Self { .product(name: "ArgumentParser", package: "swift-argument-parser") }
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "first-agent", targets: ["first-agent"]),
        .executable(name: "first-app", targets: ["first-app"]),
        .executable(name: "first-server", targets: ["first-server"]),
        .executable(name: "first-site", targets: ["first-site"]),
        .executable(name: "first-tool", targets: ["first-tool"]),
        .executable(name: "spotify", targets: ["spotify"]),
        .executable(name: "spotify-web", targets: ["spotify-web"]),
    ],
    traits: [
        .trait(name: "Clients", description: "`first-server`, and its HTTP client; `first-site` needs it too."),
        .trait(name: "Fleet", description: "`spotify-web` on many hosts; needs libpq."),
        .trait(name: "Web", description: "The web apps, and their framework."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: library, path: "../",
            traits: [
                "Crypto", "LoopbackReceiver", .trait(name: "AsyncHTTPClient", condition: .when(traits: ["Clients"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["Fleet"])),
                .trait(name: "Telemetry", condition: .when(traits: ["Web"])),
            ]),
        // The servers that the programs talk to, on this machine.
        .package(name: "Servers", path: "../Tests/Servers"),
        // Sealed sessions, and hashes of cookies. The library fetches it in any case.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        // The options and the help of `spotify` and `spotify-web`.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // Trait Web: serves `spotify-web` and `first-site`.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    ],
    targets: [
        // Five short programs for newcomers.
        .executableTarget(name: "first-app", dependencies: [.server("LocalWidgets"), .ours("URLSession")]),
        .executableTarget(
            name: "first-server", dependencies: [.localSpotify, .ours("OAuth"), .ours("AsyncHTTPClient")]),
        .executableTarget(
            name: "first-site",
            dependencies: [
                .localSpotify, .ours("AsyncHTTPClient"), .ours("Spotify"), .ours("Storage"), .ours("Telemetry"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Web"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Web"])),
            ]),
        .executableTarget(name: "first-tool", dependencies: [.ours("Spotify"), .ours("Storage"), .ours("URLSession")]),
        .executableTarget(name: "first-agent", dependencies: [.ours("OAuth"), .ours("Storage"), .ours("URLSession")]),
        .target(name: "SpotifyDemo", dependencies: [.localSpotify, .ours("Spotify"), .ours("URLSession")]),
        // Typed calls of Spotify's Web API.
        .target(name: "SpotifyWebAPI", dependencies: [.ours("Spotify"), .ours("URLSession")]),
        // The logic of `spotify`, without the demo.
        .target(
            name: "SpotifyTool",
            dependencies: ["SpotifyWebAPI", .localSpotify, .ours("Spotify"), .ours("Storage"), .ours("URLSession")]),
        // An app for Apple's platforms: its model, and views without logic.
        .target(
            name: "SpotifyApp",
            dependencies: ["SpotifyWebAPI", .ours("Spotify"), .ours("Storage"), .ours("URLSession")]),
        // A web app: log in with Spotify, see what is playing, log out.
        .target(
            name: "SpotifyWeb",
            dependencies: [
                "SpotifyWebAPI", .ours("Spotify"), .ours("URLSession"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Web"])),
                .product(name: "RequestAuthorizationPostgreSQL", package: library, condition: .when(traits: ["Fleet"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Fleet"])),
            ]),
        .executableTarget(name: "spotify-web", dependencies: ["SpotifyWeb", .localSpotify, .argumentParser]),
        .executableTarget(name: "spotify", dependencies: ["SpotifyDemo", "SpotifyTool", .argumentParser]),
        .testTarget(
            name: "SpotifyWebAPITests",
            dependencies: ["SpotifyWebAPI", .localSpotify, .ours("Spotify"), .ours("Testing"), .ours("URLSession")]),
        .testTarget(
            name: "SpotifyToolTests",
            dependencies: [
                "spotify", "SpotifyDemo", "SpotifyTool", "SpotifyWebAPI", .localSpotify, .ours("Spotify"),
                .ours("Storage"), .ours("Testing"), .ours("URLSession"),
            ]),
        .testTarget(
            name: "SpotifyAppTests",
            dependencies: [
                "SpotifyApp", "SpotifyWebAPI", .localSpotify, .ours("Spotify"), .ours("Storage"), .ours("URLSession"),
                .ours("Testing"),
            ]),
        .testTarget(
            name: "SpotifyWebTests",
            dependencies: [
                "spotify-web", "SpotifyWeb", "TestServers", "SpotifyWebAPI", .localSpotify, .ours("Spotify"),
                .ours("URLSession"), .ours("Testing"),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: .when(traits: ["Web"])),
                .product(name: "RequestAuthorizationPostgreSQL", package: library, condition: .when(traits: ["Fleet"])),
            ]),
        .testTarget(
            name: "FirstProgramsTests",
            dependencies: [
                "first-agent", "first-app", "first-server", "first-site", "first-tool", .localSpotify,
                .server("LocalScenarios"), "TestWidth",
            ]),
        // How many tests run at a time: the library's own, by a symbolic link. One test target suffices.
        .target(name: "TestWidth", path: "Tests/Support/TestWidth"),
        // Servers that scripts start: the library's own, by symbolic links.
        .target(name: "TestServers", path: "Tests/Support/TestServers"),
        .testTarget(
            name: "SpotifyDemoTests",
            dependencies: ["SpotifyDemo", .localSpotify, .ours("Testing"), .ours("URLSession")]),
    ]
)

for target in package.targets { target.swiftSettings = strict }
