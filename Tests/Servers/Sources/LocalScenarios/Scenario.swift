// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// How a resource and its authorization servers behave, and what a client must do.
///
///     for scenario in Scenario.all {
///         let verdict = try await scenario.run(at: .july2026) { run in
///             await run.performCalls { request in … }    // with the client under test
///         }
///         #expect(verdict.passed, "\(verdict)")
///     }
///
/// The names are those of the official client suite of MCP.
public struct Scenario: Sendable, CustomStringConvertible {
    public enum Group: String, Sendable {
        case required, `extension`, backCompatibility
    }

    /// What happens in addition.
    public enum Variant: String, Codable, Sendable {
        case plain
        /// The client has a session from before. The fault must not end it.
        case earlierSession
        /// The authorization server refuses the client's assertion.
        case refusal
    }

    /// The name in the official suite, for instance `auth/metadata-default`.
    public let name: String
    public let group: Group
    /// What the client must do.
    public let duty: String

    var resource = ResourceConduct()
    var server = ServerConduct()
    var otherServer: ServerConduct?
    var hasIdentityProvider = false
    var givenClient: GivenClient?
    var proofs = Proofs.none
    /// Why the client must not get in.
    var fault: Fault?
    var checks: [Check] = []

    public var description: String { name }

    /// Each is run at each ``WireVersion``.
    public var variants: [Variant] {
        if fault != nil { return [.plain, .earlierSession] }
        return givenClient == .workload ? [.plain, .refusal] : [.plain]
    }

    init(
        _ name: String, _ group: Group, _ duty: String, checks: [Check],
        _ configure: (inout Scenario) -> Void = { _ in }
    ) {
        (self.name, self.group, self.duty, self.checks) = ("auth/" + name, group, duty, checks)
        configure(&self)
    }

    /// One that is required.
    init(_ name: String, _ duty: String, checks: [Check], _ configure: (inout Scenario) -> Void = { _ in }) {
        self.init(name, .required, duty, checks: checks, configure)
    }

    /// Finds a scenario by its name, with or without `auth/`.
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name || $0.name == "auth/" + name } }

    /// The 33 scenarios.
    public static let all = discovery + scopes + clients + responses + servers + extensions + backCompatibility

    var roles: [Role] {
        var roles: [Role] = [.resource]
        if server.role == .server { roles.append(.server) }
        if otherServer != nil { roles.append(.otherServer) }
        if hasIdentityProvider { roles.append(.identityProvider) }
        return roles
    }
}
#endif
