// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The accounts service: who is asked, what is given, how it is said. A pure value: time comes in.
struct AccountsService: Sendable {
    let clients: [String: LocalSpotify.Client]
    /// Whose secret the proxy keeps.
    let proxyClient: LocalSpotify.Client?
    let user = "Local Listener"
    var codes: AuthorizationCodes
    var families: TokenFamilies
    var devices: DeviceCodes
    var tickets: Tickets<AuthorizationRequest>
    /// For user codes.
    var deviceTickets: Tickets<String>
    /// When wrong user codes were typed.
    var misses: [Date] = []
    var secrets: SecretSource
    /// What the user has allowed to clients that can show who they are.
    var approvals: [String: Set<String>] = [:]

    init(policy: TokenPolicy, clients: [LocalSpotify.Client] = [], secrets: SecretSource = SecretSource()) {
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { _, last in last }
        self.secrets = secrets
        codes = AuthorizationCodes(secrets: secrets)
        families = TokenFamilies(policy: policy, secrets: secrets)
        devices = DeviceCodes(policy: policy, secrets: secrets)
        tickets = Tickets(secrets: secrets)
        deviceTickets = Tickets(secrets: secrets)
        proxyClient = clients.first { !$0.isPublic }
    }

    mutating func makeCode(scopes: Set<String>, at now: Date) -> String {
        codes.issue(.init(grant: Grant(scopes: scopes)), at: now)
    }

    mutating func noteLostAnswer(to decision: TokenDecision) { families.noteLostAnswer(to: decision) }
    mutating func revokeAccessTokens() { families.revokeAccessTokens() }

    mutating func revokeFamilies() {
        families.revokeFamilies()
        approvals = [:]
    }
}
