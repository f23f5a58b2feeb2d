// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import RequestAuthorizationTesting
import Testing

/// Each check detects a request type with one defect.
struct AuthorizableRequestChecksTests {
    @Test func `a request of the test kit passes, also with a fragment in its URL`() async throws {
        try await AuthorizableRequestChecks(method: "PUT", target: "https://api.example.com/v1?x=1") {
            TestRequest("https://api.example.com/v1?x=1#f", method: "PUT")
        }.run()
    }

    @Test func `a request with the four required members passes: it has nothing to sign`() async throws {
        try await AuthorizableRequestChecks(method: nil, target: nil) { FourMembers() }.run()
    }

    @Test func `a method of type String, which no provider sees, fails`() async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: "GET", target: nil) { NearMiss() }.run()
        }
        #expect(
            failures.map(\.description) == [
                "shows its method and its target: providers see no requestMethod where GET is expected: declare it as "
                    + "String?, and public if the type is"
            ])
    }

    @Test(arguments: [[], [1, 2, 3]] as [[UInt8]])
    func `a request of the test kit shows its body`(body: [UInt8]) async throws {
        let target = "https://api.example.com/"
        try await AuthorizableRequestChecks(method: "GET", target: target, body: body) { TestRequest(body: body) }.run()
        try await AuthorizableRequestChecks(method: "GET", target: target) { TestRequest(body: nil) }.run()
    }

    @Test func `a body of type [UInt8], which no provider sees, fails`() async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: nil, target: nil, body: [1, 2, 3]) { HiddenBody() }.run()
        }
        #expect(
            failures.map(\.description) == [
                "shows its body: providers see no bodyBytes where 3 bytes are expected: declare it as [UInt8]?, and public if "
                    + "the type is"
            ])
    }

    @Test func `a wrong body fails, also one that is lost when a credential is set`() async {
        for fading in [false, true] {
            let failures = await failures {
                try await AuthorizableRequestChecks(method: nil, target: nil, body: [1]) {
                    OtherBody(bytes: fading ? [1] : [2], isFading: fading)
                }
                .run()
            }
            #expect(
                failures.map(\.description) == ["shows its body: providers see other bodyBytes than expected"])
        }
    }

    @Test func `a request that shares its fields with its copies fails`() async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: nil, target: nil) { Shared() }.run()
        }
        #expect(
            failures.map(\.description) == [
                "leaves copies alone: got the credential that was set on a copy: make it a value type"
            ])
    }

    @Test func `a method that is lost when a credential is set fails`() async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: "PUT", target: nil) { FadingMethod() }.run()
        }
        #expect(
            failures.map(\.description) == [
                "shows its method and its target: providers see another requestMethod than expected"
            ])
    }

    @Test func `a target with a fragment, or a wrong target, fails`() async {
        for target in ["https://api.example.com/#f", "https://api.example.com/v2"] {
            let failures = await failures {
                try await AuthorizableRequestChecks(method: nil, target: target) {
                    Target(targetURI: "https://api.example.com/#f")
                }
                .run()
            }
            #expect(failures.map(\.check) == ["shows its method and its target"])
        }
    }

    @Test(arguments: [
        (Wanderer.Defect.goesAnywhere, "accepts an origin with another host"),
        (.comparesNoHosts, "accepts an origin with another host"),
        (.comparesBeginnings, "accepts an origin with another host"),
        (.comparesNoPorts, "accepts an origin with another port"),
        (.comparesNoSchemes, "accepts an origin with another scheme"),
        (.goesNowhere, "refuses the request's own origin"),
    ])
    func `a request that is sent elsewhere than to its origin fails`(_ defect: Wanderer.Defect, problem: String) async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: nil, target: nil) { Wanderer(defect: defect) }.run()
        }
        #expect(failures.map(\.description) == ["goes to its origin alone: goes(to:) \(problem)"])
    }

    @Test(arguments: [
        ("http://api.example.com" as Origin, false, "takes a credential that others can read"),
        ("https://api.example.com", true, "takes no credential"),
        ("http://127.0.0.1:8080", true, "takes no credential"),
    ])
    func `a request that hides whether others can read it fails`(_ server: Origin, isPlaintext: Bool, problem: String)
        async
    {
        let found = await failures {
            try await AuthorizableRequestChecks(method: nil, target: nil) {
                Disguised(server: server, isPlaintext: isPlaintext)
            }
            .run()
        }
        #expect(found.map(\.description) == ["is readable on the network as its origin is: \(problem) to \(server)"])
    }

    @Test(arguments: [
        (BrokenRequest.Defect.comparesCase, ["keeps a credential", "replaces an earlier credential"]),
        (.adds, ["replaces an earlier credential"]), (.keepsOne, ["leaves other fields alone"]),
        (.dropsAll, ["keeps a credential", "replaces an earlier credential", "leaves other fields alone"]),
    ])
    func `a request that loses or adds values fails`(defect: BrokenRequest.Defect, checks: [String]) async {
        let failures = await failures {
            try await AuthorizableRequestChecks(method: nil, target: nil) { BrokenRequest(defect: defect) }.run()
        }
        #expect(failures.map(\.check) == checks)
    }
}

private protocol Plain: AuthorizableRequest {
    var fields: [String: String] { get set }
}

extension Plain {
    var origin: Origin? { "https://api.example.com" }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[field.lowercased()] }
    mutating func setCredential(_ value: String, in field: String) { fields[field.lowercased()] = value }
}

private struct FourMembers: Plain {
    var fields: [String: String] = [:]
}

private struct NearMiss: Plain {
    var fields: [String: String] = [:]
    var requestMethod: String { "GET" }
}

private struct HiddenBody: Plain {
    var fields: [String: String] = [:]
    var bodyBytes: [UInt8] { [1, 2, 3] }
}

private struct OtherBody: Plain {
    var fields: [String: String] = [:]
    let bytes: [UInt8]
    let isFading: Bool
    var bodyBytes: [UInt8]? { isFading && !fields.isEmpty ? [] : bytes }
}

/// A request around an object.
private struct Shared: AuthorizableRequest {
    private let fields = Lock<[String: String]>([:])

    var origin: Origin? { "https://api.example.com" }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields.withLock { $0[field.lowercased()] } }
    mutating func setCredential(_ value: String, in field: String) {
        fields.withLock { $0[field.lowercased()] = value }
    }
}

private struct FadingMethod: Plain {
    var fields: [String: String] = [:]
    var requestMethod: String? { fields.isEmpty ? "PUT" : "GET" }
}

private struct Target: Plain {
    var fields: [String: String] = [:]
    var targetURI: String?
}

/// A request that says itself whether others can read it.
private struct Disguised: Plain {
    var fields: [String: String] = [:]
    let server: Origin
    let isPlaintext: Bool
    var origin: Origin? { server }
}

/// A request with one defect.
struct BrokenRequest: AuthorizableRequest {
    enum Defect { case comparesCase, adds, keepsOne, dropsAll }

    let defect: Defect
    private var fields: [String: String] = [:]

    init(defect: Defect) { self.defect = defect }

    var origin: Origin? { "https://api.example.com" }
    var isReplayable: Bool { true }
    func credential(in field: String) -> String? { fields[name(field)] }
    mutating func setCredential(_ value: String, in field: String) {
        switch defect {
        case .comparesCase: fields[field] = value
        case .adds: fields[name(field)] = (fields[name(field)].map { "\($0), " } ?? "") + value
        case .keepsOne: fields = [name(field): value]
        case .dropsAll: break
        }
    }

    private func name(_ field: String) -> String { defect == .comparesCase ? field : field.lowercased() }
}

/// A request that is sent to other origins.
struct Wanderer: Plain {
    enum Defect: Sendable {
        case goesAnywhere, goesNowhere, comparesBeginnings, comparesNoHosts, comparesNoPorts, comparesNoSchemes
    }

    var fields: [String: String] = [:]
    let defect: Defect

    func goes(to other: Origin) -> Bool {
        guard let origin, defect != .goesNowhere else { return false }
        if defect == .comparesBeginnings { return "\(origin)/v1".hasPrefix("\(other)") }
        return defect == .goesAnywhere
            || (other.host == origin.host || defect == .comparesNoHosts)
                && (other.port == origin.port || defect == .comparesNoPorts)
                && (other.scheme == origin.scheme || defect == .comparesNoSchemes)
    }
}
