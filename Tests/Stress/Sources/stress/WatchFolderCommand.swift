// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress watch-folder`: checks that all entries of a store's folder are private and complete at any time.
struct WatchFolderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch-folder", abstract: "Looks at the entries of a store's folder again and again.",
        discussion: "It ends after the number of looks, or when standard input ends.")

    @Argument(help: ArgumentHelp("The store's folder.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("The number of looks at an entry.", valueName: "n"))
    var looks = 1_000_000

    func run() throws {
        umask(0)
        var watch = FolderWatch(URL(filePath: folder))
        let report = try watch.run(looks: looks) {
            var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            return poll(&input, 1, 0) > 0
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
        if !report.problems.isEmpty { throw ExitCode(1) }
    }
}
