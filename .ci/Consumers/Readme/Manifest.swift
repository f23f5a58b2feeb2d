// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// The manifest of the first program in the README. `.ci/check-consumers` makes a `Package.swift` of the sample.

// sample: manifest
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "hello",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../swift-request-authorization")],
    targets: [
        .executableTarget(
            name: "hello",
            dependencies: [
                .product(name: "RequestAuthorizationURLSession", package: "swift-request-authorization")
            ])
    ]
)
// end sample
