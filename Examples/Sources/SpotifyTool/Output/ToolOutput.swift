// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What a command found out: for people as blocks, for programs as JSON.
protocol ToolReport: Encodable, Sendable {
    var blocks: [Block] { get }
}

/// Where a command writes to, and how.
///
/// Results go to standard output and nothing else does, so that `spotify me --json | jq` works; what is said to the person
/// who waits goes to standard error.
public struct ToolOutput: Sendable {
    /// Whether results are one JSON value.
    var json: Bool
    private let results: Renderer
    private let notes: Renderer

    /// - Parameters:
    ///   - json: whether results are JSON.
    ///   - environment: `NO_COLOR`, with any value but an empty one, and `TERM=dumb` turn colours off (https://no-color.org).
    public init(json: Bool, environment: [String: String]) {
        self.json = json
        let mayColour = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        results = Renderer(colours: mayColour && isatty(FileHandle.standardOutput.fileDescriptor) == 1)
        notes = Renderer(colours: mayColour && isatty(FileHandle.standardError.fileDescriptor) == 1)
    }

    /// Writes a result.
    func show(_ report: some ToolReport) throws {
        let text = json ? try Self.json(report) : results.render(report.blocks)
        Self.write(text, to: .standardOutput)
    }

    /// Tells the person who waits.
    func note(_ spans: Span...) { Self.write(notes.render([.line(spans)]), to: .standardError) }

    /// Says why nothing came of it, and what to do.
    public func show(_ failure: ToolFailure) {
        guard !failure.message.isEmpty else { return }
        note(.bad("error: "), Span(failure.message))
        if let advice = failure.advice { note(.dim("       \(advice)")) }
    }

    /// Keys in order, so that two runs can be compared.
    static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return PlainText.escape(json: String(decoding: try encoder.encode(report), as: UTF8.self))
    }

    // MARK: -

    /// At once: a line may be waited for at the other end of a pipe. Nobody may be there any more.
    private static func write(_ text: String, to file: FileHandle) {
        try? file.write(contentsOf: Data((text + "\n").utf8))
    }
}
