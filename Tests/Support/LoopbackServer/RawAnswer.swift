// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The text of an answer.
package struct RawAnswer: Sendable, Equatable {
    package let head: String
    package let body: String

    package init(_ text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        head = lines[..<end].joined(separator: "\r\n")
        body = lines[end...].dropFirst().joined(separator: "\r\n")
    }

    /// 0 if the server did not answer.
    package var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    /// The value of a field. Case is ignored in names.
    package subscript(field: String) -> String? {
        let prefix = field.lowercased() + ":"
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }
}
