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

/// The verdict on a simulated run. It knows the run's ledger only, and nothing of the library.
let package = Package(
    name: "SimulationCheck",
    products: [.library(name: "SimulationCheck", targets: ["SimulationCheck"])],
    targets: [
        .target(name: "SimulationCheck", swiftSettings: strict),
        .testTarget(name: "SimulationCheckTests", dependencies: ["SimulationCheck"], swiftSettings: strict),
    ]
)
