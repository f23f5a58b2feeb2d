// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import Foundation
import Synchronization

/// Runs tasks in one thread, in the order in which they become ready: the same instructions each time.
package final class OneThread: TaskExecutor {
    package static let shared = OneThread()

    private let ready = Mutex<[UnownedJob]>([])
    private let wakeUps = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                wakeUps.wait()
                let jobs = ready.withLock { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasIdle = ready.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        if wasIdle { wakeUps.signal() }
    }
}
