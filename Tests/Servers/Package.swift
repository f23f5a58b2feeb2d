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
        // The trait of the library that its tests build these sources with.
        .define("Full"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

let library = "swift-request-authorization"

extension Target.Dependency {
    /// A product of the library: `.ours("Testing")` is `RequestAuthorizationTesting`.
    static func ours(_ name: String = "") -> Self { .product(name: "RequestAuthorization\(name)", package: library) }
    static func flyingFox(_ name: String = "FlyingFox") -> Self { .product(name: name, package: "FlyingFox") }
}

/// The servers that the examples talk to. The scripts beside this file start servers of others, for the library's tests.
let package = Package(
    name: "Servers",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "LocalSpotify", targets: ["LocalSpotify"]),
        .library(name: "LocalWidgets", targets: ["LocalWidgets"]),
        .library(name: "LocalScenarios", targets: ["LocalScenarios"]),
        .executable(name: "scenarios", targets: ["scenarios"]),
    ],
    dependencies: [
        .package(name: library, path: "../.."),
        // Serves all on loopback.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        // SHA-256 for PKCE, and the signatures of the scenarios.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    ],
    targets: [
        // A Spotify on this machine, with faults on demand.
        .target(
            name: "LocalSpotify",
            dependencies: [
                "LoopbackHTTP", .ours(), .flyingFox(), .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // A server of an app's own.
        .target(name: "LocalWidgets", dependencies: ["LoopbackHTTP", .flyingFox()]),
        // The scenarios of MCP's official client suite for authorization. The library's own tests use it too.
        .target(
            name: "LocalScenarios",
            dependencies: ["LoopbackHTTP", .flyingFox(), .product(name: "Crypto", package: "swift-crypto")]),
        .executableTarget(name: "scenarios", dependencies: ["LocalScenarios"]),
        // Serves on this machine while a closure runs.
        .target(name: "LoopbackHTTP", dependencies: [.flyingFox(), .flyingFox("FlyingSocks")]),
        .testTarget(
            name: "LocalSpotifyTests",
            dependencies: ["LocalSpotify", "TestWidth", .ours(), .ours("Testing"), .ours("URLSession")]),
        .testTarget(
            name: "LocalScenariosTests",
            dependencies: [
                "LocalScenarios", "LoopbackHTTP", "TestServers", "TestWidth", .flyingFox(),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // How many tests run at a time, and servers of others: the library's own, by symbolic links.
        .target(name: "TestWidth", path: "Tests/Support/TestWidth"),
        .target(name: "TestServers", path: "Tests/Support/TestServers"),
    ]
)

for target in package.targets { target.swiftSettings = strict }
