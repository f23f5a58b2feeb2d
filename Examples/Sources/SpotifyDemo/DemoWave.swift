// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Calls that began at the same time, and what the server counted until they had all ended.
public struct DemoWave: Hashable, Sendable, Codable {
    /// From the beginning of the run.
    public var seconds = 0.0
    /// The number of calls.
    public var calls = 0
    /// The number of calls that were answered with 401.
    public var unauthorized = 0
    /// The number of refreshes.
    public var refreshes = 0
    /// Whether all access tokens had been revoked just before.
    public var revoked = false

    public init() {}

    /// What happened, for people.
    var summary: String {
        var parts = [count(calls, "call")]
        if unauthorized > 0 { parts.append("\(unauthorized) met a 401" + (revoked ? " after a revocation" : "")) }
        if refreshes > 0 { parts.append(count(refreshes, "refresh", plural: "refreshes")) }
        return parts.joined(separator: ", ")
    }

    private func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
    }
}
