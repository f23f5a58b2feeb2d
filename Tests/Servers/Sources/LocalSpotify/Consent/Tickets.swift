// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The forms that were shown and not yet answered, each bound to the browser that shows it.
///
/// A form of another site cannot name a valid ticket. A ticket that was fetched elsewhere belongs to another browser's
/// cookie.
struct Tickets<Subject: Sendable>: Sendable {
    private struct Entry {
        let subject: Subject
        let browser: String
        let issuedAt: Date
    }

    private var entries: [String: Entry] = [:]
    private var secrets: SecretSource
    private let lifetime: TimeInterval = 600

    init(secrets: SecretSource) { self.secrets = secrets }

    mutating func issue(_ subject: Subject, to browser: String, at now: Date) -> String {
        entries = entries.filter { now < $0.value.issuedAt + lifetime }
        let ticket = secrets.next()
        entries[ticket] = Entry(subject: subject, browser: browser, issuedAt: now)
        return ticket
    }

    /// Redeems a ticket, which makes it invalid.
    ///
    /// - Returns: `nil` if it is unknown, used, expired or bound to another browser. In the last case it stays valid.
    mutating func redeem(_ ticket: String?, from browser: String?, at now: Date) -> Subject? {
        guard let ticket, let entry = entries[ticket], entry.browser == browser else { return nil }
        entries[ticket] = nil
        return now < entry.issuedAt + lifetime ? entry.subject : nil
    }
}
