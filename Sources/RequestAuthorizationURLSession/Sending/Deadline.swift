// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation

/// Does something when the time is over, unless it is cancelled before.
///
/// A timer source and no sleeping task: that would stay in memory until its time, which may be an hour away.
struct Deadline {
    private let timer: any DispatchSourceTimer

    init(after seconds: TimeInterval, perform action: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler(handler: DispatchWorkItem(block: action))
        timer.activate()
    }

    func cancel() { timer.cancel() }
}
