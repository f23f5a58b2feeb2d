// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Keeps the token calls in order. With a file, it writes each call there before the call is answered.
struct TokenCallLog {
    private(set) var calls: [TokenCall] = []
    private let file: FileHandle?

    /// - Parameter url: a file to append JSON lines to; created if it is missing.
    init(file url: URL?) throws {
        guard let url else {
            file = nil
            return
        }
        if !FileManager.default.fileExists(atPath: url.path) {
            try Data().write(to: url)
        }
        file = try FileHandle(forWritingTo: url)
        try file?.seekToEnd()
    }

    mutating func append(_ call: TokenCall) throws {
        calls.append(call)
        try file?.write(contentsOf: Data((call.jsonLine + "\n").utf8))
    }
}
