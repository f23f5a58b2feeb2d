// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting

/// What came of an operation in which a call went wrong.
package struct Performance: Sendable {
    package typealias Work = Task<Result<Void, any Error>, Never>

    package let fate: Fate
    /// What the caller was told; `nil` if the process ended first.
    private let result: Result<Void, any Error>?
    private let hasNamedError: Bool
    /// Whether the process ended in the middle.
    private let isInterrupted: Bool

    /// Waits for an operation as its user would: for as long as it may take, or until its process dies.
    ///
    /// - Parameters:
    ///   - settle: waits for what a living process still has under way, and returns whether that succeeded.
    ///   - hasNamedError: whether the process has told of an error in another way.
    package init(
        of work: Work, _ fate: Fate, _ mishap: Mishap?, _ clock: HastyClock,
        settle: () async -> Bool, hasNamedError: () -> Bool = { false }
    ) async {
        self.fate = fate
        let isSettled: Bool
        switch mishap {
        case .hangs where await fate.ends(before: work):
            result = await clock.value(of: work) { fate.die() }
            isSettled = false
        case .dies where await fate.ends(before: work): (result, isSettled) = (nil, false)
        default:
            result = await work.value
            isSettled = await settle()
        }
        self.hasNamedError = !isSettled || hasNamedError()
        isInterrupted = (mishap == .hangs || mishap == .dies) && fate.isMet
        // A process in which a call has failed lives on beside the next one.
        if mishap == nil || isInterrupted { fate.die() }
    }

    /// Whether nothing has told of a loss.
    package var isSilent: Bool {
        guard case .success? = result else { return false }
        return !hasNamedError && !isInterrupted
    }
}

extension Fate {
    /// - Returns: `false` if the work has ended without reaching the call that hangs, or kills the process.
    fileprivate func ends(before work: Performance.Work) async -> Bool {
        let watch = Task {
            _ = await work.value
            end.fulfill(with: .failure(NoAnswer()))
        }
        defer { watch.cancel() }
        return await (try? end.value()) != nil
    }
}
