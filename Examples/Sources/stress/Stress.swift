// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser

/// The command-line tool that puts the library to the test.
@main struct Stress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Puts to the test what many processes, many tasks and many accounts share.",
        subcommands: [
            ProcessesCommand.self, FleetCommand.self, AccountsCommand.self, PoolCommand.self, CheckCommand.self,
            WatchFolderCommand.self,
            WorkerCommand.self, HoldLocksCommand.self,
        ])
}
