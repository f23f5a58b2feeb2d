// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import SpotifyTool

/// `spotify logout`.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Signs out: revokes the token if the service supports that, and removes it.",
        discussion: """
            Spotify has no call to revoke a token. It is removed here, and you are told where to remove the app. If \
            the service cannot be reached you stay signed in, unless --force is given.
            """)

    @Flag(help: "Remove the token even if it cannot be revoked.")
    var force = false

    @OptionGroup var options: ToolOptions

    func run() async throws { try await options.run { try await $0.logout(force: force) } }
}
