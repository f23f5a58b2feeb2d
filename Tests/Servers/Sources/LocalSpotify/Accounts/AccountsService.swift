// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The accounts service: consent, tokens and their answers. A value without I/O; the caller passes the time.
struct AccountsService: Sendable {
    let clients: [String: LocalSpotify.Client]
    /// The client whose secret the proxy keeps.
    let proxyClient: LocalSpotify.Client?
    let user = "Local Listener"
    var codes: AuthorizationCodes
    var families: TokenFamilies
    var devices: DeviceCodes
    var tickets: Tickets<AuthorizationRequest>
    /// The forms that were shown for user codes.
    var deviceTickets: Tickets<String>
    /// The times at which wrong user codes were typed.
    var misses: [Date] = []
    var secrets: SecretSource
    /// The scopes that the user has allowed to each confidential client.
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
