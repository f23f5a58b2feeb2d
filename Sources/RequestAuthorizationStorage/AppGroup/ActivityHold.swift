// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

extension ExclusiveActivity {
    /// Releases exclusive access before the system suspends the process.
    ///
    /// iOS ends a process that is suspended while it has a locked file in an app group (0xdead10cc).
    static func expiring(_ activities: any ExpiringActivities) -> ExclusiveActivity {
        ExclusiveActivity { expire in
            let hold = ActivityHold(expire: expire)
            try await hold.begin(activities)
            return { hold.end() }
        }
    }
}

/// One expiring activity, which delays the suspension of the process.
final class ActivityHold: Sendable {
    private enum Phase: Sendable {
        case new
        case asked(UnsafeContinuation<Void, any Error>)
        case held
        case over
    }

    private let phase = Lock(Phase.new)
    private let isOver = DispatchSemaphore(value: 0)
    private let expire: @Sendable () -> Void

    /// - Parameter expire: releases the access before it returns.
    init(expire: @escaping @Sendable () -> Void) { self.expire = expire }

    func begin(_ activities: any ExpiringActivities) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            phase.withLock { $0 = .asked(continuation) }
            activities.perform(reason: "refreshing a token that is shared") { isExpired in
                if isExpired { self.becameExpired() } else { self.began() }
            }
        }
    }

    func end() { if case .held = phase.exchange(.over) { isOver.signal() } }

    // MARK: -

    /// Blocks a thread of the system for as long as access is held.
    private func began() {
        let continuation = phase.withLock { phase -> UnsafeContinuation<Void, any Error>? in
            guard case .asked(let continuation) = phase else { return nil }
            phase = .held
            return continuation
        }
        guard let continuation else { return }
        continuation.resume()
        isOver.wait()
    }

    private func becameExpired() {
        switch phase.exchange(.over) {
        case .asked(let continuation):
            continuation.resume(
                throwing: TokenStoreError(
                    .unavailable, "the app is about to be suspended; it is tried again when the app resumes"))
        case .held:
            expire()
            isOver.signal()
        case .new, .over: break
        }
    }
}
