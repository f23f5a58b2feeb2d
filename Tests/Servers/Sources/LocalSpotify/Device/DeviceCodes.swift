// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The device sign-ins that wait for a user with a browser (RFC 8628).
struct DeviceCodes: Sendable {
    /// What the page asks the user.
    struct Question: Hashable, Sendable {
        let userCode: String
        let clientID: String
        let scopes: Set<String>
    }

    /// The answer to a poll of the device (RFC 8628 §3.5).
    enum Poll: Hashable, Sendable {
        case pending, slowDown, denied, expired, unknown
        case allowed(Set<String>)
    }

    private struct Entry {
        let question: Question
        let issuedAt: Date
        var interval: TimeInterval
        var asked: Date?
        /// `nil`: not answered yet.
        var isAllowed: Bool?
        var isUsed = false
    }

    private let policy: TokenPolicy
    private var secrets: SecretSource
    private var entries: [String: Entry] = [:]
    /// By user code, normalized to upper case without the hyphen.
    private var deviceCodes: [String: String] = [:]

    init(policy: TokenPolicy, secrets: SecretSource) {
        self.policy = policy
        self.secrets = secrets
    }

    mutating func begin(_ clientID: String, _ scopes: Set<String>, at now: Date) -> (device: String, user: String) {
        var userCode = secrets.nextUserCode()
        while deviceCodes[Self.normalize(userCode)] != nil { userCode = secrets.nextUserCode() }
        let deviceCode = secrets.next()
        let question = Question(userCode: userCode, clientID: clientID, scopes: scopes)
        entries[deviceCode] = Entry(question: question, issuedAt: now, interval: policy.devicePollingInterval.seconds)
        deviceCodes[Self.normalize(userCode)] = deviceCode
        return (deviceCode, userCode)
    }

    /// Returns what a typed user code asks for, if it is not answered yet.
    func question(for userCode: String, at now: Date) -> Question? {
        guard let entry = deviceCodes[Self.normalize(userCode)].flatMap({ entries[$0] }), entry.isAllowed == nil,
            !hasExpired(entry, at: now)
        else { return nil }
        return entry.question
    }

    /// - Returns: whether the question was still open.
    mutating func answer(_ userCode: String, isAllowed: Bool, at now: Date) -> Bool {
        guard question(for: userCode, at: now) != nil, let code = deviceCodes[Self.normalize(userCode)] else {
            return false
        }
        entries[code]?.isAllowed = isAllowed
        return true
    }

    mutating func poll(_ deviceCode: String, by clientID: String?, at now: Date) -> Poll {
        guard var entry = entries[deviceCode], entry.question.clientID == clientID, !entry.isUsed else {
            return .unknown
        }
        defer { entries[deviceCode] = entry }
        if hasExpired(entry, at: now) { return .expired }
        let isTooSoon = entry.asked.map { now < $0 + entry.interval - Self.slack } ?? false
        entry.asked = now
        if isTooSoon {
            entry.interval += 5  // RFC 8628 §3.5: for this and all later polls
            return .slowDown
        }
        switch entry.isAllowed {
        case nil: return .pending
        case false?: return .denied
        case true?:
            entry.isUsed = true
            return .allowed(entry.question.scopes)
        }
    }

    // MARK: -

    /// The tolerance for early polls, in seconds.
    private static let slack = 0.2

    private func hasExpired(_ entry: Entry, at now: Date) -> Bool {
        now >= entry.issuedAt + policy.deviceCodeLifetime.seconds
    }

    /// RFC 8628 §6.1: users type the code with or without the hyphen.
    private static func normalize(_ userCode: String) -> String { userCode.uppercased().filter(\.isLetter) }
}
