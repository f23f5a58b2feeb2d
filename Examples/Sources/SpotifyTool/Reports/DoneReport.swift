// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a command says that has done something and found out nothing.
struct DoneReport: ToolReport {
    /// For programs, for instance `paused`.
    let done: String
    /// For people.
    let sentence: String

    private enum CodingKeys: CodingKey { case done }

    var blocks: [Block] { [.line([Span(sentence)])] }
}
