// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch

extension ExclusiveActivity {
    /// Releases exclusive access before the system suspends the process. An expiring activity delays the suspension.
    ///
    /// iOS ends a process that is suspended while it has a locked file in an app group (0xdead10cc).
    static func expiring(_ activities: any ExpiringActivities) -> ExclusiveActivity {
        ExclusiveActivity { expire in
            let (phase, answer, isOver) = (Lock(Phase.asked), FirstResult<Void>(), DispatchSemaphore(value: 0))
            activities.perform(reason: "refreshing a token that is shared") { isExpired in
                let former = phase.withLock { phase in
                    defer { phase = isExpired || phase == .over ? .over : .held }
                    return phase
                }
                switch (former, isExpired) {
                case (.asked, false):
                    answer.land(.success(()))
                    // Blocks a thread of the system for as long as access is held.
                    isOver.wait()
                case (.asked, true):
                    answer.land(
                        .failure(
                            TokenStoreError(
                                .unavailable,
                                "the app is about to be suspended; it is tried again when the app resumes")))
                case (.held, true):
                    // Access is released before this returns.
                    expire()
                    isOver.signal()
                case (.held, false), (.over, _): break
                }
            }
            try await withUnsafeThrowingContinuation { answer.deliver(to: $0) }
            return { if phase.exchange(.over) == .held { isOver.signal() } }
        }
    }

    private enum Phase { case asked, held, over }
}
