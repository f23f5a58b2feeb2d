// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify me`.
struct MeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "me", abstract: "Shows your profile.")

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.me() } }
}
