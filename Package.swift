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

let package = Package(
    name: "swift-request-authorization",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RequestAuthorization", targets: ["RequestAuthorization"]),
        .library(name: "RequestAuthorizationURLSession", targets: ["RequestAuthorizationURLSession"]),
        .library(name: "RequestAuthorizationTesting", targets: ["RequestAuthorizationTesting"]),
    ],
    traits: [
        .trait(name: "Full", description: "Everything that needs no system library, and all tests."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // The raw sockets of the servers that the tests talk to. Only tests use it: nobody who uses a product fetches it.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0")
    ],
    targets: [
        .target(name: "RequestAuthorization", swiftSettings: strict),
        .target(
            name: "RequestAuthorizationURLSession", dependencies: ["RequestAuthorization"], swiftSettings: strict),
        .target(name: "RequestAuthorizationTesting", dependencies: ["RequestAuthorization"], swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationTests",
            dependencies: ["RequestAuthorization", "RequestAuthorizationTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationTestingTests",
            dependencies: ["RequestAuthorization", "RequestAuthorizationTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationURLSessionTests",
            dependencies: [
                "RequestAuthorizationURLSession", "RequestAuthorizationTesting",
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
        // What README and Documentation print; `.ci/check-samples` compares.
        .testTarget(
            name: "DocumentationSamples",
            dependencies: ["RequestAuthorizationURLSession", "RequestAuthorizationTesting"],
            swiftSettings: strict),
        // Documentation/Performance.md: swift run -c release Benchmarks.
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["RequestAuthorizationURLSession", "AllocationCounter"],
            path: "Tests/Benchmarks",
            swiftSettings: strict),
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
    ]
)
