// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Warnings are errors where `CI` is set, so that a newer compiler's new warning breaks nobody's build but ours.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

let library = "swift-request-authorization"

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "LocalSpotify", targets: ["LocalSpotify"]),
        .executable(name: "spotify", targets: ["spotify"]),
        .executable(name: "stress", targets: ["stress"]),
        .executable(name: "spotify-web", targets: ["spotify-web"]),
    ],
    traits: [
        .trait(name: "Web", description: "The web app, and the framework that it stands on."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(name: library, path: "../", traits: ["Crypto", "LoopbackReceiver"]),
        // Serves the embedded Spotify on loopback.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        // SHA-256, where the embedded Spotify checks PKCE; fetched for the library in any case.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        // The options and the help of `spotify` and `stress`.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // Trait Web: serves `spotify-web`.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "LocalSpotify",
            dependencies: [
                .product(name: "RequestAuthorization", package: library),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "SpotifyDemo",
            dependencies: [
                "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        // Typed calls of Spotify's Web API.
        .target(
            name: "SpotifyWebAPI",
            dependencies: [
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        // What `spotify` does beside the demo.
        .target(
            name: "SpotifyTool",
            dependencies: [
                "SpotifyWebAPI", "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        // An app for Apple's platforms: its model, and views that hold no logic.
        .target(
            name: "SpotifyApp",
            dependencies: [
                "SpotifyWebAPI",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        // A web app: log in with Spotify, see what is playing, log out.
        .target(
            name: "SpotifyWeb",
            dependencies: [
                "SpotifyWebAPI",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Web"])),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "spotify-web",
            dependencies: [
                "SpotifyWeb", "LocalSpotify", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "spotify",
            dependencies: [
                "SpotifyDemo", "SpotifyTool", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Many processes that share one credential: the server, the workers, and the verdict on them.
        .target(
            name: "ProcessStress",
            dependencies: [
                .product(name: "RequestAuthorization", package: library),
                .product(name: "RequestAuthorizationStorage", package: library),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "stress",
            dependencies: ["ProcessStress", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .testTarget(
            name: "LocalSpotifyTests",
            dependencies: [
                "LocalSpotify",
                .product(name: "RequestAuthorization", package: library),
                .product(name: "RequestAuthorizationTesting", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SpotifyWebAPITests",
            dependencies: [
                "SpotifyWebAPI", "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationTesting", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SpotifyToolTests",
            dependencies: [
                "spotify", "SpotifyTool", "SpotifyWebAPI", "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SpotifyAppTests",
            dependencies: [
                "SpotifyApp", "SpotifyWebAPI", "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
                .product(name: "RequestAuthorizationTesting", package: library),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SpotifyWebTests",
            dependencies: [
                "SpotifyWeb", "SpotifyWebAPI", "LocalSpotify",
                .product(name: "RequestAuthorizationSpotify", package: library),
                .product(name: "RequestAuthorizationURLSession", package: library),
                .product(name: "RequestAuthorizationTesting", package: library),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: .when(traits: ["Web"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProcessStressTests",
            dependencies: ["ProcessStress", "TestWidth", .product(name: "RequestAuthorization", package: library)],
            swiftSettings: strict),
        // How many tests run at a time: the library's own, by a symbolic link.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        .testTarget(
            name: "SpotifyDemoTests",
            dependencies: [
                "spotify", "SpotifyDemo", "LocalSpotify",
                .product(name: "RequestAuthorizationURLSession", package: library),
            ],
            swiftSettings: strict),
    ]
)
