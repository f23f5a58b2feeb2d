// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A type fails some of its checks; the error lists all problems.
///
///     do { try await TokenStoreChecks { MyStore() }.run() }
///     catch { print(error) }
///     // MyStore fails 1 of 12 checks:
///     // - keeps a sign-out: loaded nothing
public struct ChecksFailed: Error, CustomStringConvertible {
    /// A failed check.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The name of the check, which says what is required.
        public let check: String
        /// What the check observed; never a credential.
        public let problem: String
        /// The error, if one was thrown. It may contain secrets, so it is not printed here.
        public let underlying: (any Error)?

        public var description: String { "\(check): \(problem)" }
    }

    /// The type that was checked.
    public let subject: String
    /// The number of checks.
    public let total: Int
    /// The failed checks, in order.
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
