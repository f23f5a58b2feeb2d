// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Warnings are errors where `CI` is set. A newer compiler's new warning then fails only this project's own builds.
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
    /// A product of the library: `.ours("Storage")` is `RequestAuthorizationStorage`.
    static func ours(_ name: String = "", condition: TargetDependencyCondition? = nil) -> Self {
        .productItem(name: "RequestAuthorization\(name)", package: library, moduleAliases: nil, condition: condition)
    }
}

/// A separate package: it measures the library as a user's program uses it, through its public API.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Clients", description: "The benchmarks of the clients, and the packages that those need."),
        .trait(name: "Telemetry", description: "The benchmark of logs, metrics and traces."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: library, path: "../..",
            traits: [
                .trait(name: "AsyncHTTPClient", condition: .when(traits: ["Clients"])),
                .trait(name: "GRPC", condition: .when(traits: ["Clients"])),
                .trait(name: "Crypto", condition: .when(traits: ["Clients"])),
                .trait(name: "Telemetry", condition: .when(traits: ["Telemetry"])),
            ]),
        // Trait Clients: makes the one signature that a proof is compared with.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        // Trait Clients: the server and the client of the calls of gRPC.
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.3.0"),
        // Trait Clients: the server of the uploads, over TLS or without.
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.27.0"),
    ],
    targets: [
        // swift run -c release --package-path Tests/Benchmarks Benchmarks
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .ours(), .ours("URLSession"), .ours("Storage"),
                .ours("Telemetry", condition: .when(traits: ["Telemetry"])),
                .ours("PostgreSQL", condition: .when(traits: ["Clients"])), "AllocationCounter", "BenchmarkSupport",
            ]),
        // swift run -c release --package-path Tests/Benchmarks --traits Clients ClientBenchmarks
        .executableTarget(
            name: "ClientBenchmarks",
            dependencies: [
                .ours(), .ours("URLSession"), .ours("AsyncHTTPClient", condition: .when(traits: ["Clients"])),
                .ours("GRPC", condition: .when(traits: ["Clients"])),
                .ours("OAuth", condition: .when(traits: ["Clients"])), "BenchmarkSupport", "TrustedBundle",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Clients"])),
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["Clients"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Clients"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Clients"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Clients"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Clients"])),
            ],
            // The library's tests have the certificate under this name.
            swiftSettings: [.define("Full", .when(traits: ["Clients"]))]),
        .target(name: "BenchmarkSupport", dependencies: ["BenchmarkMarks"]),
        .target(name: "BenchmarkMarks"),
        .target(name: "AllocationCounter"),
        // Gives a process other certificate authorities than the system's; shared with the library's tests.
        .target(name: "TrustedBundle"),
        .testTarget(name: "BenchmarkSupportTests", dependencies: ["BenchmarkSupport"]),
    ]
)

for target in package.targets where !["BenchmarkMarks", "AllocationCounter", "TrustedBundle"].contains(target.name) {
    target.swiftSettings = strict + (target.swiftSettings ?? [])
}
