// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
public import LocalSpotify

/// The local Spotify that `spotify serve` runs and `--local` uses.
public struct LocalService: Sendable {
    /// The environment variable with its address.
    public static let variable = "SPOTIFY_LOCAL"
    public static let defaultPort: UInt16 = 8181
    /// Its address without the variable.
    static let defaultAddress = "http://127.0.0.1:\(defaultPort)"

    private let spotify: LocalSpotify
    private let port: UInt16

    /// - Parameters:
    ///   - policy: the lifetime and the rotation of tokens.
    ///   - port: the port, or 0 for any free one.
    public init(policy: TokenPolicy, port: UInt16 = defaultPort) throws {
        spotify = try LocalSpotify(policy: policy)
        self.port = port
    }

    /// Serves until the task is cancelled or the process ends.
    ///
    /// - Throws: ``ToolFailure`` if the port is taken.
    public func run(_ output: ToolOutput) async throws {
        do {
            try await spotify.serve(port: port) { url in
                try output.show(Greeting(url: url.absoluteString, isDefault: url.port == Int(Self.defaultPort)))
                while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            }
        } catch is ToolOutput.ClosedPipe {
            EndingSignals.endProgram(by: SIGPIPE)
        } catch let error where !(error is CancellationError) && !(error is ToolFailure) {
            throw ToolFailure(
                .unavailable, "port \(port) of 127.0.0.1 cannot be served",
                advice: "If `spotify serve` runs already, use that one; else choose a port: spotify serve --port 0")
        }
    }

    /// The first message to the user.
    private struct Greeting: ToolReport {
        let url: String
        let isDefault: Bool

        enum CodingKeys: CodingKey { case url }

        var blocks: [Block] {
            let steps =
                (isDefault ? [] : ["export \(variable)=\(url)"]) + ["spotify login --local", "spotify me --local"]
            return [
                .line(["A local Spotify listens at ", .bold(url)]), .line(["Ctrl-C ends it. In another terminal:"]),
            ] + steps.map { .line(["    \($0)"]) }
        }
    }
}
