// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser

/// The command-line tool that tests the library under load.
@main struct Stress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Tests what many processes, many tasks and many accounts share.",
        subcommands: [
            ProcessesCommand.self, FleetCommand.self, AccountsCommand.self, PoolCommand.self, CheckCommand.self,
            WatchFolderCommand.self,
            WorkerCommand.self, HoldLocksCommand.self,
        ])
}
