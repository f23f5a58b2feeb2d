// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A parser, and what must hold for every input. A broken claim ends the process, which libFuzzer reports.
struct Target: Sendable {
    let name: String
    /// Texts that are repeated to make the inputs of the linear-time check.
    let shapes: [String]
    let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, shapes: [String], run: @escaping @Sendable ([UInt8]) -> Void) {
        (self.name, self.shapes, self.run) = (name, shapes, run)
    }

    static let all: [Target] = [
        .challenges, .challengeGrammar, .retryAfter, .dates, .origins, .originSpelling, .answers, .jsonAnswers,
        .callbacks, .redirectURIs, .metadata, .resourceMetadata, .storedItems, .intents, .records, .fileNames,
        .envelopes, .der, .pem, .jwk, .git, .kubectl, .mcp,
    ]

    /// Finds a target, also one that is wrong by intention.
    static func named(_ name: String) -> Target? { (all + planted).first { $0.name == name } }
}

/// A claim about a parser that does not hold for an input.
func claim(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError("broken claim: \(text())") }
}

extension [UInt8] {
    /// The input as a text, with a mark in place of each byte that is not UTF-8.
    var text: String { String(decoding: self, as: UTF8.self) }
}
