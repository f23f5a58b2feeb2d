// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The result of a command, as blocks for people and as JSON for programs.
protocol ToolReport: Encodable, Sendable {
    var blocks: [Block] { get }
}

/// Writes results and messages.
///
/// Only results go to standard output, so that `spotify me --json | jq` works. Messages to the user go to standard
/// error.
public struct ToolOutput: Sendable {
    /// Whether results are printed as one JSON value.
    var json: Bool
    private let results: Renderer
    private let notes: Renderer

    /// - Parameters:
    ///   - json: whether results are printed as JSON.
    ///   - environment: `NO_COLOR` with a value that is not empty and `TERM=dumb` turn colours off
    ///     (https://no-color.org).
    public init(json: Bool, environment: [String: String]) {
        self.json = json
        let mayColour = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        results = Renderer(colours: mayColour && isatty(FileHandle.standardOutput.fileDescriptor) == 1)
        notes = Renderer(colours: mayColour && isatty(FileHandle.standardError.fileDescriptor) == 1)
    }

    /// The reader of the results has closed its end of the pipe.
    struct ClosedPipe: Error {}

    /// Writes a result.
    ///
    /// - Throws: ``ToolFailure``, for instance if the disk is full; ``ClosedPipe``.
    func show(_ report: some ToolReport) throws {
        let text = json ? try Self.json(report) : results.render(report.blocks)
        signal(SIGPIPE, SIG_IGN)  // It would end the program before a refresh is stored.
        do {
            try Self.write(text, to: .standardOutput)
        } catch {
            let number = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError).map { Int32($0.code) } ?? EIO
            if number == EPIPE { throw ClosedPipe() }
            throw ToolFailure(.store, "the result cannot be written: \(String(cString: strerror(number)))")
        }
    }

    /// Writes a message to the user.
    func note(_ spans: Span...) { try? Self.write(notes.render([.line(spans)]), to: .standardError) }

    /// Writes what failed, and what to do.
    public func show(_ failure: ToolFailure) {
        guard !failure.message.isEmpty else { return }
        note(.bad("error: "), Span(failure.message))
        if let advice = failure.advice { note(.dim("       \(advice)")) }
    }

    /// Encodes with sorted keys, so that two runs can be compared.
    static func json(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return PlainText.escape(json: String(decoding: try encoder.encode(report), as: UTF8.self))
    }

    // MARK: -

    /// Writes without a buffer, because a program may wait for the line at the other end of a pipe.
    private static func write(_ text: String, to file: FileHandle) throws {
        try file.write(contentsOf: Data((text + "\n").utf8))
    }
}
