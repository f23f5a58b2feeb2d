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
    /// A product of the library: `.ours("OAuth")` is `RequestAuthorizationOAuth`.
    static func ours(_ name: String = "") -> Self { .product(name: "RequestAuthorization\(name)", package: library) }
}

/// The program can be linked statically: neither it nor `AuthorizeTool` may use FoundationNetworking or FlyingFox.
let package = Package(
    name: "authorize",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "authorize", targets: ["authorize"])],
    traits: [
        .trait(name: "SecretService", description: "`--key-from keyring` on Linux desktops; needs libsecret-1-dev.")
    ],
    dependencies: [
        .package(
            name: library, path: "../..",
            traits: [
                "AsyncHTTPClient", "Crypto", "LoopbackReceiver",
                .trait(name: "SecretService", condition: .when(traits: ["SecretService"])),
            ]),
        // The errors of connections that cannot be made.
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        // The options and the help.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "authorize",
            dependencies: ["AuthorizeTool", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // The logic of the commands.
        .target(
            name: "AuthorizeTool",
            dependencies: [
                .ours("AsyncHTTPClient"), .ours("OAuth"), .ours("Storage"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .testTarget(
            name: "AuthorizeToolTests",
            dependencies: ["authorize", "AuthorizeTool", "TestServers", "TestWidth", .ours("OAuth"), .ours("Storage")]),
        // How many tests run at a time, and servers of others: the library's own, by symbolic links.
        .target(name: "TestWidth", path: "Tests/Support/TestWidth"),
        .target(name: "TestServers", path: "Tests/Support/TestServers"),
    ]
)

for target in package.targets { target.swiftSettings = strict }
