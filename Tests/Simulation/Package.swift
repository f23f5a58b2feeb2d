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
let check = Target.Dependency.product(name: "SimulationCheck", package: "SimulationCheck")

/// The program `simulate`: processes, disk, database, servers and time in one process, chosen by a seed. For Linux.
let package = Package(
    name: "Simulation",
    products: [.executable(name: "simulate", targets: ["simulate"])],
    dependencies: [
        .package(name: library, path: "../.."),
        // The verdict on a run. It knows the ledger only.
        .package(name: "SimulationCheck", path: "Check"),
    ],
    targets: [
        // The hooks of the runtime, the clock and the random numbers of the C library, and fibers.
        .target(name: "CSimulation"),
        .target(
            name: "Simulation",
            dependencies: [
                "CSimulation", check, .product(name: "RequestAuthorization", package: library),
                .product(name: "RequestAuthorizationStorage", package: library),
            ], swiftSettings: strict),
        .executableTarget(name: "simulate", dependencies: ["CSimulation", "Simulation", check], swiftSettings: strict),
    ]
)
