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
    static func ours(_ name: String = "") -> Self { .product(name: "RequestAuthorization\(name)", package: library) }
}

/// Redis and SQLite as databases of a fleet: the samples of the guide, and their tests with real servers and processes.
let package = Package(
    name: "Databases",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: library, path: "../..", traits: ["Crypto"]),
        // SQLite.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(
            name: "DatabaseRecords",
            dependencies: [.ours("Storage"), .product(name: "GRDB", package: "GRDB.swift")]),
        // A host of a fleet, as a process.
        .executableTarget(
            name: "host", dependencies: ["DatabaseRecords", .ours(), .ours("Storage"), .ours("Testing")]),
        .testTarget(
            name: "DatabaseTests", dependencies: ["DatabaseRecords", "host", .ours("Storage"), .ours("Testing")]),
    ]
)

for target in package.targets { target.swiftSettings = strict }
