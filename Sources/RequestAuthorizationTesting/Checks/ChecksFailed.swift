// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What is wrong with a provider or a store, all of it: thrown by the checks.
///
///     do { try await TokenStoreChecks { MyStore() }.run() }
///     catch { print(error) }
///     // MyStore fails 1 of 12 checks:
///     // - keeps a sign-out: loaded nothing
public struct ChecksFailed: Error, CustomStringConvertible {
    /// One check that was not passed.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The name of the check: what it asks for.
        public let check: String
        /// What was seen instead; never a credential.
        public let problem: String
        /// What was thrown, if that was the problem. It may hold what others put there, so it is not printed here.
        public let underlying: (any Error)?

        public var description: String { "\(check): \(problem)" }
    }

    /// The type that was checked.
    public let subject: String
    /// How many checks it had to pass.
    public let total: Int
    /// The checks that it did not pass, in order.
    public let failures: [Failure]

    public var description: String {
        "\(subject) fails \(failures.count) of \(total) checks:\n"
            + failures.map { "- \($0)" }.joined(separator: "\n")
    }
}

extension ChecksFailed: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["failures": failures]) }
}

extension ChecksFailed.Failure: CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["check": check, "problem": problem]) }
}
