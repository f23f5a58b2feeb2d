// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify

/// The report of `spotify status` and `spotify login`: the facts about the token, without the token itself.
struct StatusReport: ToolReport {
    let isSignedIn: Bool
    let service: String
    let account: String
    /// `nil` without a token, or if the service did not give a date.
    let expiresAt: Date?
    /// The date by which the user must sign in again, if the service gives one.
    let signInAgainBefore: Date?
    let scopes: [String]
    let advice: String?
    private let asAccount: String
    private let now: Date

    private enum CodingKeys: CodingKey { case isSignedIn, service, account, expiresAt, signInAgainBefore, scopes }

    init(_ token: OAuthToken?, of settings: ToolSettings, at now: Date) {
        isSignedIn = token != nil
        (service, account, asAccount) = (settings.serviceName, settings.account, settings.asAccount)
        expiresAt = token.flatMap { $0.expiresAt == .distantFuture ? nil : $0.expiresAt }
        signInAgainBefore = token?.refreshTokenExpiresAt
        scopes = token?.scopes.sorted() ?? []
        advice = token == nil ? settings.command("login") : nil
        self.now = now
    }

    var blocks: [Block] {
        guard isSignedIn else {
            return [
                .line([.bad("not signed in"), Span(" to \(service)\(asAccount)")]),
                .line([.dim("Sign in: \(advice ?? "")")]),
            ]
        }
        var facts: [(String, Span)] = [("account", Span(account)), ("expires", Span(expiry))]
        if let signInAgainBefore { facts.append(("sign in again before", Span(Self.format(signInAgainBefore)))) }
        let names = scopes.isEmpty ? ["none"] : scopes
        facts += names.enumerated().map { ($0 == 0 ? "scopes" : "", Span($1)) }
        return [.line([.good("signed in"), Span(" to \(service)")]), .facts(facts)]
    }

    // MARK: -

    private var expiry: String {
        guard let expiresAt else { return "unknown, then refreshed by itself" }
        let minutes = Int(expiresAt.timeIntervalSince(now) / 60)
        return switch minutes {
        case _ where expiresAt <= now: "refreshed with the next call"
        case 0: "in less than a minute, then refreshed by itself"
        default: "in \(minutes) min, then refreshed by itself"
        }
    }

    private static func format(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}
