// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import ProcessStress
import Testing

/// The watch must find each kind of problem.
@Suite struct FolderWatchTests {
    private func report(on files: [(name: String, text: String, mode: mode_t)], looks: Int = 100) throws -> FolderReport
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files {
            let url = folder.appending(path: file.name)
            try Data(file.text.utf8).write(to: url)
            chmod(url.path, file.mode)
        }
        var watch = FolderWatch(folder)
        return try watch.run(looks: looks)
    }

    @Test func `private and complete entries`() throws {
        let report = try report(on: [
            ("a.token", #"{"status":"token"}"#, 0o600), ("a.lock", "", 0o600), ("a.new", "{", 0o600),
        ])
        #expect(report.problems == [])
        #expect(report.looks >= 100)
        #expect(Set(report.entries.keys) == ["token", "lock", "new"])
    }

    @Test(arguments: ["a.token", "a.lock", "a.new", "a.intent"])
    func `a file of any kind that other users can read`(name: String) throws {
        let report = try report(on: [(name, #"{"status":"token"}"#, 0o644)], looks: 1)
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.contains("100644") == true)
    }

    @Test(arguments: ["", "{", #"{"status":"tok"#, "[]"])
    func `an incomplete token`(text: String) throws {
        let report = try report(on: [("a.token", text, 0o600)], looks: 1)
        #expect(report.problems == ["token is incomplete"])
    }

    @Test func `a symbolic link is not a file`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(symlink("/etc/passwd", folder.appending(path: "a.token").path) == 0)
        var watch = FolderWatch(folder)
        #expect(try watch.run(looks: 1).problems.count == 1)
    }
}
