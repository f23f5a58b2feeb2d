// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A named check of a conforming type.
struct Check: Sendable {
    let name: String
    let body: @Sendable () async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) { (self.name, self.body) = (name, body) }

    /// Performs checks one after another.
    ///
    /// - Parameters:
    ///   - subject: the name of the checked type.
    ///   - limit: how long each check may take.
    /// - Throws: ``ChecksFailed``, or `CancellationError` if the calling task is cancelled.
    static func run(
        _ checks: [Check], of subject: String, within limit: Duration = .seconds(120),
        of clock: any AuthorizationClock = .system
    ) async throws {
        var failures: [ChecksFailed.Failure] = []
        for check in checks {
            do {
                try await check.run(within: limit, of: clock)
            } catch let problem as CheckProblem {
                failures.append(.init(check: check.name, problem: problem.text, underlying: problem.underlying))
            } catch {
                try Task.checkCancellation()
                failures.append(.init(check: check.name, problem: "threw \(label(of: error))", underlying: error))
            }
        }
        guard failures.isEmpty else { throw ChecksFailed(subject: subject, total: checks.count, failures: failures) }
    }

    /// Runs the check. It does not wait for a body that hangs and ignores cancellation.
    private func run(within limit: Duration, of clock: any AuthorizationClock) async throws {
        let end = OneShot<Void>()
        let work = Task {
            do { try await body() } catch { return end.fulfill(with: .failure(error)) }
            return end.fulfill()
        }
        let timer = Task {
            try await clock.sleep(for: limit)
            end.fulfill(with: .failure(CheckProblem("has not ended after \(limit)")))
        }
        let result = await end.result()
        work.cancel()
        timer.cancel()
        _ = await timer.result  // Leaves one sleeper on a test's clock: the next check's.
        try result.get()
    }
}

struct CheckProblem: Error {
    let text: String
    let underlying: (any Error)?

    init(_ text: String, underlying: (any Error)? = nil) { (self.text, self.underlying) = (text, underlying) }
}

/// The text for an error. Errors of other packages may contain secrets, so only their type is printed.
func label(of error: any Error) -> String {
    switch error {
    case is NotAuthorized, is RefreshFailed, is ScriptRanOut, is TokenStoreError, is CancellationError:
        "\(error)"
    default: "\(type(of: error))"
    }
}

func require(_ condition: Bool, _ problem: @autoclosure () -> String) throws(CheckProblem) {
    guard condition else { throw CheckProblem(problem()) }
}

/// Requires that a header field can hold a value.
///
/// - Parameter place: completes the text of the problem, for instance ` in the field X-Key`.
func requireFieldValue(_ value: String, _ place: String = "") throws(CheckProblem) {
    do {
        try HeaderFieldValue.check(value)
    } catch {
        throw CheckProblem((error.detail ?? "\(error)") + place, underlying: error)
    }
}

/// A type fails some of its checks; the error lists all problems.
///
///     do { try await TokenStoreChecks { MyStore() }.run() }
///     catch { print(error) }
///     // MyStore fails 1 of 12 checks:
///     // - keeps a sign-out: loaded nothing
public struct ChecksFailed: Error, OwnDescription {
    /// A failed check.
    public struct Failure: Sendable, OwnDescription {
        /// The name of the check, which says what is required.
        public let check: String
        /// What the check observed; never a credential.
        public let problem: String
        /// The error, if one was thrown. It may contain secrets, so it is not printed here.
        public let underlying: (any Error)?

        @usableFromInline package var ownDescription: String { "\(check): \(problem)" }
    }

    /// The type that was checked.
    package let subject: String
    /// The number of checks.
    package let total: Int
    /// The failed checks, in order.
    public let failures: [Failure]

    @usableFromInline package var ownDescription: String {
        "\(subject) fails \(failures.count) of \(total) checks:" + failures.map { "\n- \($0)" }.joined()
    }
}
