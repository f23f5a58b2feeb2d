// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import ArgumentParser
import SpotifyTool
public import SpotifyWebAPI

/// `spotify search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Searches for tracks, albums, artists and playlists.")

    @Argument(help: ArgumentHelp("The words to search for.", valueName: "words"))
    var words: [String]

    @Option(parsing: .singleValue, help: "The kind of items to search for; may be repeated. (default: track)")
    var kind: [SearchKind] = []

    @Option(help: ArgumentHelp("The number of results per kind, at most 10.", valueName: "n"))
    var limit = 5

    @OptionGroup var options: ToolOptions

    func validate() throws {
        guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("Pass the words to search for.")
        }
        guard (1...10).contains(limit) else { throw ValidationError("--limit must be between 1 and 10.") }
    }

    func run() async throws {
        let kinds = kind.isEmpty ? [.track] : Set(kind)
        try await options.run { try await $0.search(words.joined(separator: " "), for: kinds, limit: limit) }
    }
}

extension SearchKind: ExpressibleByArgument {}
