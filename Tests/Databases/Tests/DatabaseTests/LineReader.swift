// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Reads what a process prints, line by line. It blocks the thread.
final class LineReader {
    private let pipe: Pipe
    private var rest = Data()

    init(_ pipe: Pipe) { self.pipe = pipe }

    /// The next line; `nil` once the process has ended.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[rest.index(after: end)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest.append(data)
        }
    }
}
