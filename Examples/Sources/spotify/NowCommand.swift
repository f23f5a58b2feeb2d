// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify now`.
struct NowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "now", abstract: "Shows what is playing, and where.")

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.now() } }
}
