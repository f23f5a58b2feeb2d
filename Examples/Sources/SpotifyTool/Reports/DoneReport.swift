// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The report of a command that has no other result.
struct DoneReport: ToolReport {
    /// For programs, for instance `paused`.
    let done: String
    /// For people.
    let sentence: String

    private enum CodingKeys: CodingKey { case done }

    var blocks: [Block] { [.line([Span(sentence)])] }
}
