// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// What happened in a scenario.
struct Record: Sendable {
    struct Event: Sendable {
        enum Kind: Sendable { case resourceMetadata, serverMetadata, registration, authorization, token, call }

        var kind: Kind
        var role: Role
        /// The MCP method, or the grant.
        var method = ""
        var client: String?
        /// Those asked for; of a registration its grants.
        var scopes: Set<String> = []
        /// Whether it was answered as wanted.
        var isGood = true
        /// The session that the token of a call belongs to.
        var family: String?
    }

    /// The family of the tokens of the session from before.
    static let earlierFamily = "earlier"

    var events: [Event] = []
    /// Which servers got a valid proof with a nonce after they had asked for one.
    var nonceRoles: Set<Role> = []
    var context: ScenarioContext

    func has(_ kind: Event.Kind) -> Bool { events.contains { $0.kind == kind } }

    func answered(_ method: String) -> Bool {
        events.contains { $0.kind == .call && $0.method == method && $0.isGood && $0.family != nil }
    }

    var scopesAskedFor: [Set<String>] { events.filter { $0.kind == .authorization }.map(\.scopes) }
}
#endif
