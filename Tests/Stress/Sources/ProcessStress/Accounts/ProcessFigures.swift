// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The system resources that this process uses, from Linux's `/proc`; zeros elsewhere.
enum ProcessFigures {
    static var descriptors: Int { openFiles.count }
    static var inotifyInstances: Int { openFiles.filter { $0.contains("inotify") }.count }
    static var threads: Int { entries("/proc/self/task").count }

    /// Processor time of all threads, in seconds.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: -

    private static var openFiles: [String] {
        entries("/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
    }

    private static func entries(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
