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
        .library(name: "RequestAuthorizationStorage", targets: ["RequestAuthorizationStorage"]),
        .library(name: "RequestAuthorizationOAuth", targets: ["RequestAuthorizationOAuth"]),
        .library(name: "RequestAuthorizationSpotify", targets: ["RequestAuthorizationSpotify"]),
        .library(name: "RequestAuthorizationHTTPTypes", targets: ["RequestAuthorizationHTTPTypes"]),
        .library(name: "RequestAuthorizationAsyncHTTPClient", targets: ["RequestAuthorizationAsyncHTTPClient"]),
        .library(name: "RequestAuthorizationGRPC", targets: ["RequestAuthorizationGRPC"]),
        .library(name: "RequestAuthorizationPostgreSQL", targets: ["RequestAuthorizationPostgreSQL"]),
        .library(name: "RequestAuthorizationTelemetry", targets: ["RequestAuthorizationTelemetry"]),
        .library(name: "RequestAuthorizationTesting", targets: ["RequestAuthorizationTesting"]),
    ],
    traits: [
        .trait(name: "HTTPTypes", description: "HTTPRequest of swift-http-types."),
        .trait(name: "AsyncHTTPClient", description: "HTTPClientRequest and HTTPClient of async-http-client."),
        .trait(name: "GRPC", description: "An interceptor for grpc-swift-2."),
        .trait(name: "Crypto", description: "PKCE, signatures, encryption on Linux; nothing on Apple's platforms."),
        .trait(name: "LoopbackReceiver", description: "Receives the end of a sign-in in native apps and tools."),
        .trait(
            name: "Telemetry", description: "Logs, metrics and traces of refreshes, for those who operate a server."),
        .trait(name: "SecretService", description: "The keyring of Linux desktops; needs libsecret-1-dev."),
        .trait(
            name: "PostgreSQL", description: "One token for many hosts, kept in PostgreSQL; needs libpq-dev.",
            enabledTraits: ["Crypto"]),
        .trait(
            name: "Full", description: "Everything that needs no system library, and all tests.",
            enabledTraits: ["HTTPTypes", "AsyncHTTPClient", "GRPC", "Crypto", "LoopbackReceiver", "Telemetry"]),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // Trait HTTPTypes: the requests and responses of RequestAuthorizationHTTPTypes.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        // Trait AsyncHTTPClient: the client of RequestAuthorizationAsyncHTTPClient.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        // Trait AsyncHTTPClient: the buffers and header fields in that client's signatures.
        // Trait LoopbackReceiver: listens for the callback of a sign-in.
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        // Trait AsyncHTTPClient: the logger in that client's signatures.
        // Trait Telemetry: the log lines of RequestAuthorizationTelemetry.
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        // Trait AsyncHTTPClient: to tell failures of TLS from others.
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.27.0"),
        // Trait GRPC: the interceptors of RequestAuthorizationGRPC.
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.3.0"),
        // Trait Telemetry: the counters, gauges and timers of RequestAuthorizationTelemetry.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        // Trait Telemetry: the span around each refresh.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.1.0"),
        // Trait Crypto: AES-GCM, ChaChaPoly and PBKDF2 of RequestAuthorizationStorage, and SHA-256 and signatures of
        // RequestAuthorizationOAuth, where CryptoKit is not.
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        // The server and the client that the tests of RequestAuthorizationGRPC talk over. Only tests use it.
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.3.0"),
        // The group of services that the sample on shutting down runs in. Only tests use it.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        // The raw sockets of the servers that the tests talk to. Only tests use it: nobody who uses a product fetches it.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        .target(name: "RequestAuthorization", swiftSettings: strict),
        .target(
            name: "RequestAuthorizationURLSession",
            dependencies: [
                "RequestAuthorization",
                .target(name: "RequestAuthorizationHTTPTypes", condition: .when(traits: ["HTTPTypes"])),
                .product(
                    name: "HTTPTypesFoundation", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationStorage",
            dependencies: [
                "RequestAuthorization",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .target(name: "CSecretService", condition: .when(traits: ["SecretService"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationOAuth",
            dependencies: [
                "RequestAuthorization", "RequestAuthorizationStorage",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["LoopbackReceiver"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["LoopbackReceiver"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["LoopbackReceiver"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationSpotify", dependencies: ["RequestAuthorizationOAuth"], swiftSettings: strict),
        // Trait SecretService: libsecret.
        .systemLibrary(name: "CSecretService", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .target(
            name: "RequestAuthorizationHTTPTypes",
            dependencies: [
                "RequestAuthorization",
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationAsyncHTTPClient",
            dependencies: [
                "RequestAuthorization",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationGRPC",
            dependencies: [
                "RequestAuthorization",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["GRPC"])),
            ],
            swiftSettings: strict),
        .target(
            name: "RequestAuthorizationPostgreSQL",
            dependencies: [
                "RequestAuthorization", "RequestAuthorizationStorage",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        // Trait PostgreSQL: libpq.
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "RequestAuthorizationTelemetry",
            dependencies: [
                "RequestAuthorization",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Telemetry"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Telemetry"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Telemetry"])),
            ],
            swiftSettings: strict),
        .target(name: "RequestAuthorizationTesting", dependencies: ["RequestAuthorization"], swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationTests",
            dependencies: [
                "RequestAuthorization", "RequestAuthorizationTesting", "RedactionChecks", "TestProviders", "TestWidth",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationTestingTests",
            dependencies: ["RequestAuthorization", "RequestAuthorizationTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationURLSessionTests",
            dependencies: [
                "RequestAuthorizationURLSession", "RequestAuthorizationTesting", "LoopbackServer", "TestProviders",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationGRPCTests",
            dependencies: [
                "RequestAuthorizationGRPC", "RequestAuthorizationTesting", "RedactionChecks", "ClientScenarios",
                "TestProviders",
                .product(
                    name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport",
                    condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationTelemetryTests",
            dependencies: [
                "RequestAuthorizationTelemetry", "RequestAuthorizationTesting", "RedactionChecks", "TestProviders",
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Full"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationStorageTests",
            dependencies: [
                "RequestAuthorizationStorage", "RequestAuthorizationTesting", "RedactionChecks", "StorageProcess",
                "StoreFixtures",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .target(name: "CSecretService", condition: .when(traits: ["SecretService"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationOAuthTests",
            dependencies: [
                "RequestAuthorizationOAuth", "RequestAuthorizationURLSession", "RequestAuthorizationAsyncHTTPClient",
                "RequestAuthorizationTesting", "LoopbackServer", "RedactionChecks", "StorageProcess", "StoreFixtures",
                "TestServers",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationSpotifyTests",
            dependencies: [
                "RequestAuthorizationSpotify", "RequestAuthorizationURLSession", "RequestAuthorizationTesting",
                "LoopbackServer", "RedactionChecks",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationHTTPTypesTests",
            dependencies: [
                "RequestAuthorizationHTTPTypes", "RequestAuthorizationURLSession", "RequestAuthorizationTesting",
                "LoopbackServer", "RedactionChecks",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationAsyncHTTPClientTests",
            dependencies: [
                "RequestAuthorizationAsyncHTTPClient", "RequestAuthorizationTesting", "LoopbackServer",
                "RedactionChecks", "TestProviders",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RequestAuthorizationPostgreSQLTests",
            dependencies: [
                "RequestAuthorizationPostgreSQL", "RequestAuthorizationTesting", "LoopbackServer", "RedactionChecks",
                "TestServers",
            ],
            swiftSettings: strict),
        // A second process for the tests of stores.
        .executableTarget(
            name: "StorageProcess",
            dependencies: [
                "RequestAuthorizationStorage", "RequestAuthorizationOAuth", "RequestAuthorizationTesting",
            ],
            path: "Tests/StorageProcess",
            swiftSettings: strict),
        // Servers that the scripts of `Tests/Servers` start, and other commands.
        .target(name: "TestServers", path: "Tests/TestServers", swiftSettings: strict),
        // How many tests run at a time; one test target suffices, as all are linked into one program.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        // The handle of that process, and items of bytes in memory, for the tests of what is stored.
        .target(
            name: "StoreFixtures",
            dependencies: ["RequestAuthorizationStorage", "RequestAuthorizationTesting"],
            path: "Tests/StoreFixtures",
            swiftSettings: strict),
        // How a value gets into a log, and which public types there are: each module's tests show that none prints a secret.
        .target(name: "RedactionChecks", path: "Tests/RedactionChecks", swiftSettings: strict),
        // One suite for every client.
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "RequestAuthorizationURLSession", "RequestAuthorizationHTTPTypes",
                "RequestAuthorizationAsyncHTTPClient", "RequestAuthorizationTesting", "ClientScenarios",
                "LoopbackServer", "TestProviders", "TrustedBundle",
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
        // What is to be seen of every client, and the table of what was.
        .target(name: "ClientScenarios", path: "Tests/ClientScenarios", swiftSettings: strict),
        // Providers that do one thing, well or badly, and a count to wait for, for the tests of every client.
        .target(
            name: "TestProviders", dependencies: ["RequestAuthorization"], path: "Tests/TestProviders",
            swiftSettings: strict),
        // Lends a process other certificate authorities than the system's.
        .target(name: "TrustedBundle", path: "Tests/TrustedBundle"),
        // A server that answers with the bytes it is told to, for the tests of every client, and what verifies proofs for it.
        .target(
            name: "LoopbackServer",
            dependencies: [
                "RequestAuthorization",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Full"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Full"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Full"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Full"])),
            ],
            path: "Tests/LoopbackServer",
            swiftSettings: strict),
        // What README and Documentation print; `.ci/check-samples` compares.
        .testTarget(
            name: "DocumentationSamples",
            dependencies: [
                "RequestAuthorizationURLSession", "RequestAuthorizationAsyncHTTPClient", "RequestAuthorizationStorage",
                "RequestAuthorizationOAuth", "RequestAuthorizationSpotify", "RequestAuthorizationTesting",
                "RequestAuthorizationTelemetry", "LoopbackServer", "RedactionChecks",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Crypto"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Full"])),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Full"])),
            ],
            swiftSettings: strict),
    ]
)
