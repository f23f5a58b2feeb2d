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
    /// A product of the library: `.ours("Storage")` is `RequestAuthorizationStorage`.
    static func ours(_ name: String = "", condition: TargetDependencyCondition? = nil) -> Self {
        .product(name: "RequestAuthorization\(name)", package: library, condition: condition)
    }
}

/// The program `stress`, which tests what many processes, many tasks and many accounts share. It uses the library as a
/// user's program does.
let package = Package(
    name: "Stress",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "stress", targets: ["stress"])],
    traits: [
        .trait(name: "Fleet", description: "`stress fleet`; needs libpq."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: library, path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["Fleet"]))]),
        // The options and the help of `stress`.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        // Many processes that share one credential: the server, the workers, and the verdict on them.
        .target(
            name: "ProcessStress",
            dependencies: [
                .ours(), .ours("Storage"), .ours("PostgreSQL", condition: .when(traits: ["Fleet"])),
            ]),
        // Many identities in one process: tasks that use their providers, and the verdict on the pool.
        .target(name: "PoolStress", dependencies: [.ours()]),
        .executableTarget(
            name: "stress",
            dependencies: [
                "ProcessStress", "PoolStress", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(name: "ProcessStressTests", dependencies: ["stress", "ProcessStress", "TestWidth", .ours()]),
        .testTarget(name: "PoolStressTests", dependencies: ["PoolStress"]),
        // How many tests run at a time: the library's own, by a symbolic link.
        .target(name: "TestWidth", path: "Tests/Support/TestWidth"),
    ]
)

for target in package.targets { target.swiftSettings = strict }
