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

/// The modules for users: each is a product of its own.
let modules = [
    "", "URLSession", "Storage", "OAuth", "Spotify", "HTTPTypes", "AsyncHTTPClient", "GRPC", "PostgreSQL", "Telemetry",
    "Testing",
].map { "RequestAuthorization\($0)" }

let package = Package(
    name: "swift-request-authorization",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: modules.map { .library(name: $0, targets: [$0]) },
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
            name: "Full", description: "Everything that needs no system library, and its tests.",
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
        // The raw sockets of the servers that the tests talk to. Only tests use it.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        .target(name: "RequestAuthorization"),
        .target(
            name: "RequestAuthorizationURLSession",
            dependencies: [
                .ours(), .ours("HTTPTypes", trait: "HTTPTypes"),
                .product("HTTPTypesFoundation", of: "swift-http-types", trait: "HTTPTypes"),
            ]),
        .target(
            name: "RequestAuthorizationStorage",
            dependencies: [.ours(), .crypto, .cryptoExtras, .library("CSecretService", trait: "SecretService")]),
        .target(
            name: "RequestAuthorizationOAuth",
            dependencies: [
                .ours(), .crypto, .cryptoExtras,
                .product("NIOCore", of: "swift-nio", trait: "LoopbackReceiver"),
                .product("NIOPosix", of: "swift-nio", trait: "LoopbackReceiver"),
                .product("NIOHTTP1", of: "swift-nio", trait: "LoopbackReceiver"),
            ]),
        .target(name: "RequestAuthorizationSpotify", dependencies: [.ours("OAuth")]),
        .target(
            name: "RequestAuthorizationHTTPTypes",
            dependencies: [.ours(), .product("HTTPTypes", of: "swift-http-types", trait: "HTTPTypes")]),
        .target(
            name: "RequestAuthorizationAsyncHTTPClient",
            dependencies: [
                .ours(), .product("AsyncHTTPClient", of: "async-http-client", trait: "AsyncHTTPClient"),
                .product("NIOCore", of: "swift-nio", trait: "AsyncHTTPClient"),
                .product("NIOHTTP1", of: "swift-nio", trait: "AsyncHTTPClient"),
                .product("NIOSSL", of: "swift-nio-ssl", trait: "AsyncHTTPClient"),
                .product("Logging", of: "swift-log", trait: "AsyncHTTPClient"),
            ]),
        .target(
            name: "RequestAuthorizationGRPC",
            dependencies: [.ours(), .product("GRPCCore", of: "grpc-swift-2", trait: "GRPC")]),
        .target(
            name: "RequestAuthorizationPostgreSQL",
            dependencies: [.ours(), .ours("Storage"), .crypto, .library("CPostgreSQL", trait: "PostgreSQL")]),
        .target(
            name: "RequestAuthorizationTelemetry",
            dependencies: [
                .ours(), .product("Logging", of: "swift-log", trait: "Telemetry"),
                .product("Metrics", of: "swift-metrics", trait: "Telemetry"),
                .product("Tracing", of: "swift-distributed-tracing", trait: "Telemetry"),
            ]),
        .target(name: "RequestAuthorizationTesting", dependencies: [.ours()]),
        // Trait SecretService: libsecret.
        .systemLibrary(name: "CSecretService", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        // Trait PostgreSQL: libpq.
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        .testTarget(
            name: "RequestAuthorizationTests",
            dependencies: [
                .ours(), .ours("Testing"), "RedactionChecks", "TestProviders", "TestWidth", "TraitNotice",
            ]),
        .testTarget(
            name: "RequestAuthorizationTestingTests", dependencies: [.ours(), .ours("URLSession"), .ours("Testing")]),
        .testTarget(
            name: "RequestAuthorizationURLSessionTests",
            dependencies: [
                .ours("URLSession"), .ours("Testing"), "LoopbackServer", "TestProviders",
                .product("FlyingFox", of: "FlyingFox", trait: "Full"),
            ]),
        .testTarget(
            name: "RequestAuthorizationGRPCTests",
            dependencies: [
                .ours("GRPC"), .ours("Testing"), "RedactionChecks", "ClientScenarios", "TestProviders",
                .product("GRPCNIOTransportHTTP2Posix", of: "grpc-swift-nio-transport", trait: "Full"),
            ]),
        .testTarget(
            name: "RequestAuthorizationTelemetryTests",
            dependencies: [
                .ours("Telemetry"), .ours("Testing"), "RedactionChecks", "TestProviders",
                .product("MetricsTestKit", of: "swift-metrics", trait: "Full"),
                .product("InMemoryTracing", of: "swift-distributed-tracing", trait: "Full"),
            ]),
        .testTarget(
            name: "RequestAuthorizationStorageTests",
            dependencies: [
                .ours("Storage"), .ours("Testing"), "RedactionChecks", "StorageProcess", "StoreFixtures", .crypto,
                .library("CSecretService", trait: "SecretService"),
            ]),
        .testTarget(
            name: "RequestAuthorizationOAuthTests",
            dependencies: [
                .ours("OAuth"), .ours("Storage"), .ours("URLSession"), .ours("AsyncHTTPClient"), .ours("Testing"),
                "conformance-client", "LocalScenarios", "LoopbackServer", "RedactionChecks", "StorageProcess",
                "StoreFixtures", "TestServers", .crypto, .cryptoExtras,
            ]),
        .testTarget(
            name: "RequestAuthorizationSpotifyTests",
            dependencies: [
                .ours("Spotify"), .ours("Storage"), .ours("URLSession"), .ours("Testing"), "LoopbackServer",
                "RedactionChecks",
            ]),
        .testTarget(
            name: "RequestAuthorizationHTTPTypesTests",
            dependencies: [
                .ours("HTTPTypes"), .ours("URLSession"), .ours("Testing"), "LoopbackServer", "RedactionChecks",
            ]),
        .testTarget(
            name: "RequestAuthorizationAsyncHTTPClientTests",
            dependencies: [
                .ours("AsyncHTTPClient"), .ours("Testing"), "LoopbackServer", "RedactionChecks", "TestProviders",
            ]),
        .testTarget(
            name: "RequestAuthorizationPostgreSQLTests",
            dependencies: [
                .ours("PostgreSQL"), .ours("Testing"), "LoopbackServer", "RedactionChecks", "TestServers",
            ]),
        // One suite for every client.
        .testTarget(
            name: "ClientTests",
            dependencies: [
                .ours("URLSession"), .ours("HTTPTypes"), .ours("AsyncHTTPClient"), .ours("Testing"), "ClientScenarios",
                "LoopbackServer", "TestProviders", "TrustedBundle",
                .product("NIOSSL", of: "swift-nio-ssl", trait: "Full"),
            ]),
        // What README and Documentation print; `.ci/check-samples` compares.
        .testTarget(
            name: "DocumentationSamples",
            dependencies: [
                .ours("URLSession"), .ours("AsyncHTTPClient"), .ours("Storage"), .ours("OAuth"), .ours("Spotify"),
                .ours("Testing"), .ours("Telemetry"), "LoopbackServer", "RedactionChecks", .crypto,
                .product("ServiceLifecycle", of: "swift-service-lifecycle", trait: "Full"),
                .product("UnixSignals", of: "swift-service-lifecycle", trait: "Full"),
            ]),

        // A second process for the tests of stores.
        .executableTarget(
            name: "StorageProcess",
            dependencies: [.ours("Storage"), .ours("OAuth"), .ours("URLSession"), .ours("Testing")],
            path: "Tests/Support/StorageProcess"),
        // The client under test for suites of other projects.
        .executableTarget(
            name: "conformance-client", dependencies: [.ours("OAuth"), .ours("URLSession")],
            path: "Tests/Support/ConformanceClient"),
        // The handle of that process, items of bytes in memory, and what lets calls fail, for the tests of stores.
        .support("StoreFixtures", [.ours("Storage"), .ours("Testing")]),
        // Servers that the scripts of `Tests/Servers` start, and other commands.
        .support("TestServers"),
        // How many tests run at a time. One test target suffices: all are linked into one program.
        .support("TestWidth"),
        // The ways in which a value gets into a log, and the public types of a module: no type may print a secret.
        .support("RedactionChecks"),
        // What every client must do, and the table of what each did.
        .support("ClientScenarios"),
        // Providers that do one thing, well or badly, for the tests of every client.
        .support("TestProviders", [.ours()]),
        // Says at the end of a run without traits that tests were left out.
        .target(
            name: "TraitNotice", path: "Tests/Support/TraitNotice",
            cSettings: [.define("FULL", .when(traits: ["Full"]))]),
        // Gives a process other certificate authorities than the system's.
        .support("TrustedBundle"),
        // The scenarios of MCP's official client suite for authorization, and what serves them on loopback: sources of
        // `Tests/Servers`.
        .target(
            name: "LocalScenarios",
            dependencies: ["LoopbackHTTP", .crypto, .product("FlyingFox", of: "FlyingFox", trait: "Full")],
            path: "Tests/Servers/Sources/LocalScenarios"),
        .target(
            name: "LoopbackHTTP",
            dependencies: [
                .product("FlyingFox", of: "FlyingFox", trait: "Full"),
                .product("FlyingSocks", of: "FlyingFox", trait: "Full"),
            ],
            path: "Tests/Servers/Sources/LoopbackHTTP"),
        // A server that answers with the bytes of a test, and the verifier of its proofs.
        .support(
            "LoopbackServer",
            [
                .ours(), .crypto, .product("FlyingSocks", of: "FlyingFox", trait: "Full"),
                .product("NIOCore", of: "swift-nio", trait: "Full"),
                .product("NIOPosix", of: "swift-nio", trait: "Full"),
                .product("NIOSSL", of: "swift-nio-ssl", trait: "Full"),
            ]),
    ]
)

for target in package.targets where target.type != .system { target.swiftSettings = strict }

/// They call C or keep continuations at more than 90 places each. A mark at every one would hide the code.
let modulesWithUnsafeCode = ["RequestAuthorization", "RequestAuthorizationStorage", "RequestAuthorizationPostgreSQL"]

for target in package.targets where modules.contains(target.name) && !modulesWithUnsafeCode.contains(target.name) {
    target.swiftSettings = strict + [.strictMemorySafety()]
}

/// The modules that call an API which Apple wants a reason for; `.ci/check-privacy` compares them with their sources.
let modulesWithPrivacyManifest = ["RequestAuthorizationStorage", "RequestAuthorizationOAuth"]

for target in package.targets where modulesWithPrivacyManifest.contains(target.name) {
    #if canImport(Darwin)
    target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #else
    target.exclude = ["PrivacyInfo.xcprivacy"]  // A resource would make a bundle, and code that links Foundation.
    #endif
}

extension Target {
    /// Code that several test targets share.
    static func support(_ name: String, _ dependencies: [Dependency] = []) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)")
    }
}

extension Target.Dependency {
    /// A module of this package: `.ours("OAuth")` is `RequestAuthorizationOAuth`.
    static func ours(_ name: String = "", trait: String? = nil) -> Self {
        .target(name: "RequestAuthorization\(name)", condition: trait.flatMap { .when(traits: [$0]) })
    }

    static func library(_ name: String, trait: String) -> Self {
        .target(name: name, condition: .when(traits: [trait]))
    }

    static func product(_ name: String, of package: String, trait: String) -> Self {
        .product(name: name, package: package, condition: .when(traits: [trait]))
    }

    static var crypto: Self { .product("Crypto", of: "swift-crypto", trait: "Crypto") }
    static var cryptoExtras: Self { .product("CryptoExtras", of: "swift-crypto", trait: "Crypto") }
}
