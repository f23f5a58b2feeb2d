// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// What a scenario found.
public struct Verdict: Codable, Sendable, CustomStringConvertible {
    public struct Failure: Codable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the check, for instance `pkce-s256`.
        public let check: String
        public let reason: String

        public var description: String { "\(check): \(reason)" }
    }

    public let scenario: String
    public let version: WireVersion
    public let variant: Scenario.Variant
    public let failures: [Failure]
    /// The requests with their answers, in order. Parameters are left out.
    public let log: [String]

    public var passed: Bool { failures.isEmpty }

    public func failed(_ check: String) -> Bool { failures.contains { $0.check == check } }

    public var description: String {
        let head = "\(passed ? "passed" : "FAILED") \(scenario) at \(version), \(variant.rawValue)"
        return ([head] + failures.map { "  FAILED \($0)" } + log.map { "  " + $0 }).joined(separator: "\n")
    }
}
#endif
