// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A bar on standard error, if that is a terminal.
struct ProgressBar: Sendable {
    private let total: Int
    private let isVisible = isatty(FileHandle.standardError.fileDescriptor) == 1
    private let width = 40

    init(total: Int) { self.total = total }

    func show(_ done: Int) {
        guard isVisible else { return }
        let filled = width * done / max(total, 1)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        StandardError.write("\r[\(bar)] \(done)/\(total)")
    }

    func clear() {
        if isVisible { StandardError.write("\r\u{1B}[2K") }
    }
}

enum StandardError {
    static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
