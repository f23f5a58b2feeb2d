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

/// The program `fuzz`, which gives the parsers of the library inputs that nobody wrote. `.ci/check-fuzzing` builds it with the
/// address sanitizer and with counters for libFuzzer.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: library, path: "../..")],
    targets: [
        // The driver of libFuzzer, which is part of the toolchain.
        .target(name: "CFuzzer"),
        // The inputs of the tool `authorize`, by a symbolic link: its other sources would bring an HTTP client along.
        .target(name: "ToolInputs", dependencies: [.ours("OAuth")]),
        // The parser of envelopes, by symbolic links: its module has it with the trait Crypto only, which would build for minutes.
        // What encrypts is in other files (`Envelope+Sealing.swift`), so that these import nothing.
        .target(name: "EnvelopeParts", dependencies: [.ours()], swiftSettings: [.define("Crypto")]),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer", "EnvelopeParts", "ToolInputs", .ours(), .ours("Storage"), .ours("OAuth")]),
    ]
)

for target in package.targets where target.name != "CFuzzer" {
    target.swiftSettings = strict + (target.swiftSettings ?? [])
}
