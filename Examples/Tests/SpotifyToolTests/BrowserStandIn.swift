// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A program in place of the browser. It reports how it was started.
struct BrowserStandIn {
    /// A search path that finds the program first.
    var path: String { folder.path() + ":/usr/bin:/bin" }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "bin-\(UUID().uuidString)")
    private let reader: Reader

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let said = folder.appending(path: "said").path()
        guard mkfifo(said, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        reader = Reader(FileHandle(forReadingAtPath: said))
        for name in ["xdg-open", "open"] {
            let program = folder.appending(path: name)
            try Data("#!/bin/sh\n(echo \"$*\"; env) >'\(said)'\necho noise\n".utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
        }
    }

    /// Its arguments, then the lines of its environment, after it was started.
    func said() async -> [String] { await reader.text().components(separatedBy: "\n") }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
