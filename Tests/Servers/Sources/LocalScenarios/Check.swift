// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// What must be true at the end of a scenario.
///
/// What must never happen is noticed at once: see `Stage.violate`.
struct Check: Sendable {
    let name: String
    /// What is wrong if it does not hold.
    let reason: String
    let holds: @Sendable (Record) -> Bool

    init(_ name: String, _ reason: String, _ holds: @escaping @Sendable (Record) -> Bool) {
        (self.name, self.reason, self.holds) = (name, reason, holds)
    }
}

extension Check {
    static let resourceMetadata = Check("resource-metadata", "the resource's metadata were not read") {
        $0.has(.resourceMetadata)
    }
    static let serverMetadata = Check("server-metadata", "the authorization server's metadata were not read") {
        $0.has(.serverMetadata)
    }
    static let registration = Check("registration", "the client did not register") { $0.has(.registration) }
    static let authorization = Check("authorization", "there was no authorization request") { $0.has(.authorization) }
    static let exchange = Check("code-exchanged", "a code was not exchanged although the response was right") {
        $0.events.contains { $0.kind == .token && $0.method == Grant.authorizationCode && $0.isGood }
    }
    static let noExchange = Check("code-not-exchanged", "a code was presented although its response was wrong") {
        !$0.events.contains { $0.kind == .token && $0.method == Grant.authorizationCode }
    }
    static let calls = Check("calls", "tools/list and tools/call were not both answered") { record in
        ["tools/list", "tools/call"].allSatisfy(record.answered)
    }
    static let noSignIn = Check("nothing-sent", "the client registered or asked for authorization") {
        !$0.has(.registration) && !$0.has(.authorization)
    }
    static let noPerson = Check("no-person", "a client that acts for itself asked for authorization") {
        !$0.has(.registration) && !$0.has(.authorization)
    }
    static let givenClient = Check("given-client", "the client that was registered by hand was not used") { record in
        !record.has(.registration)
            && record.events.contains { $0.kind == .authorization && $0.client == record.context.clientID }
    }
    static let document = Check("client-document", "the URL of the metadata document was not the client id") { record in
        !record.has(.registration)
            && record.events.contains { $0.kind == .authorization && $0.client == record.context.clientMetadataURL }
    }

    /// The first authorization request asks for exactly these.
    static func asks(for scopes: Set<String>, optional: Set<String> = []) -> Check {
        let wanted = scopes.isEmpty ? "no scope" : scopes.sorted().joined(separator: " ")
        return Check("scope", "the first authorization request did not ask for exactly: \(wanted)") {
            $0.scopesAskedFor.first?.subtracting(optional) == scopes
        }
    }

    static let union = Check("scope-union", "the second request did not ask for what was granted and what is missing") {
        $0.scopesAskedFor.dropFirst().first == ["mcp:basic", "mcp:write"]
    }
    static let refreshGrant = Check("grant-types", "the registration does not name the grant refresh_token") {
        $0.events.contains { $0.kind == .registration && $0.scopes.contains(Grant.refreshToken) }
    }
    static let newRegistration = Check("registration-again", "the client did not register at the new server") {
        $0.events.contains { $0.kind == .registration && $0.role == .otherServer }
    }
    /// Of the extensions: a grant of the service itself.
    static func grant(_ grant: String) -> Check {
        Check("grant", "no token was issued for \(grant)") {
            $0.events.contains { $0.kind == .token && $0.method == grant && $0.isGood }
        }
    }
    static let idJAG = Check("token-exchange", "the identity provider issued no ID-JAG") {
        $0.events.contains { $0.kind == .token && $0.role == .identityProvider && $0.isGood }
    }
    static let nonceChallenges = Check("nonce", "a server's nonce was not asked for, or its proof did not follow") {
        $0.nonceRoles == [.resource, .server]
    }
}
#endif
