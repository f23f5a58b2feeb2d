// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// The resources of this process: open descriptors, and memory where a file of the system tells it.
struct Footprint {
    let descriptors: Int
    let bytes: Int

    init() {
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
        // Pages, of which the second number are resident: proc_pid_statm(5).
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let resident = pages.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        bytes = resident * Int(getpagesize())
    }

    func growth(since earlier: Footprint) -> (descriptors: Int, bytes: Int) {
        (descriptors - earlier.descriptors, bytes - earlier.bytes)
    }
}
#endif
