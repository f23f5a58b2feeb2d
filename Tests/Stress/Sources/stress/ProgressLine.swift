// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A line with the progress of a run on standard error, if that is a terminal.
struct ProgressLine: Sendable {
    private let isVisible = isatty(2) == 1

    func show(_ text: String) {
        if isVisible { Self.write("\r\u{1B}[2K\(text)") }
    }

    func clear() {
        if isVisible { Self.write("\r\u{1B}[2K") }
    }

    static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
