// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser

/// The command-line tool that puts the library to the test.
@main struct Stress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress", abstract: "Lets many processes share one rotating refresh token, and kills them.",
        subcommands: [ProcessesCommand.self, CheckCommand.self, WatchFolderCommand.self, WorkerCommand.self])
}
