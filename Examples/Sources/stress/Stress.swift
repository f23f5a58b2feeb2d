// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser

/// The command-line tool that puts the library to the test.
@main struct Stress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Many processes that share one refresh token, and many accounts in one process.",
        subcommands: [
            ProcessesCommand.self, AccountsCommand.self, CheckCommand.self, WatchFolderCommand.self, WorkerCommand.self,
            HoldLocksCommand.self,
        ])
}
