// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The members of a JSON object in a server's answer, each of which can be decoded on its own.
///
/// What is wrong with one member changes nothing about another: bytes that are not UTF-8, numbers out of range, deep
/// nesting, missing quotes and brackets.
package struct JSONMembers: Sendable, RedactedDescription {
    /// The state of the object.
    package enum Form: Sendable {
        /// It begins and ends as a JSON object, and its members can be told apart. Their values may be damaged.
        case whole
        /// Members that were damaged, or that follow a damaged one, may be missing.
        case broken
        /// The body ends within the object.
        case cutOff
    }

    /// What was found under a name.
    package struct Member: Sendable {
        /// The values as the body has them, in order. There is none if the end of a value cannot be told.
        package fileprivate(set) var values: [ArraySlice<UInt8>] = []
        /// Whether the member seems to be in another object. Then a bracket is damaged, and it may be one of this object.
        package var isNested: Bool { rank > 0 && !values.isEmpty }
        fileprivate var rank = Int.max
    }

    package let form: Form
    package let members: [String: Member]

    /// Splits a body; `nil` if no JSON object in UTF-8 (RFC 8259 §8.1) begins there.
    package init?(_ body: ArraySlice<UInt8>) {
        // UTF-16 and UTF-32, in which other characters look like brackets and quotes.
        let start = Array(body.prefix(4))
        guard start.count < 4 || start[1] != 0 || start[3] != 0 else { return nil }
        let scanner = JSONObjectScanner(body)
        guard let form = scanner.form else { return nil }
        self.form = form
        var members: [String: Member] = [:]
        for found in scanner.members {
            guard let name = Self.text(body[found.name]) else { continue }
            members[name, default: Member()].add(
                found.value.map { body[$0] }, rank: found.isSure ? .min : found.depth)
        }
        self.members = members
    }

    package init?(_ body: [UInt8]) { self.init(body[...]) }

    /// Whether a name has different values.
    package var hasRepetitions: Bool { members.values.contains { $0.values.count > 1 } }

    /// The text at a path, such as `error` or `error.code`, if the object is whole and has one value there.
    ///
    /// A name that contains the dots itself comes first.
    package func text(at path: String) -> String? {
        guard form == .whole else { return nil }
        if let member = members[path] { return member.onlyValue.flatMap(Self.text) }
        guard let dot = path.firstIndex(of: "."), let value = members[String(path[..<dot])]?.onlyValue else {
            return nil
        }
        return JSONMembers(value)?.text(at: String(path[path.index(after: dot)...]))
    }

    /// Decodes a text with its quotes; `nil` if it is none.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let inner = bytes.dropFirst().dropLast()
        let isPlain = inner.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        if isPlain, bytes.count > 1, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
            return String(decoding: inner, as: UTF8.self)
        }
        return JSONNesting.isReadable(bytes) ? try? JSONDecoder().decode(String.self, from: Data(bytes)) : nil
    }
}

extension JSONMembers.Member {
    fileprivate var onlyValue: ArraySlice<UInt8>? { values.count == 1 ? values[0] : nil }

    /// Adds a value. What was read before any damage counts, then the outermost, then the last.
    fileprivate mutating func add(_ value: ArraySlice<UInt8>?, rank: Int) {
        guard let value, rank <= self.rank else { return }
        if rank < self.rank || rank > .min { values = [] }
        self.rank = rank
        if values.last != value { values.append(value) }
    }
}
