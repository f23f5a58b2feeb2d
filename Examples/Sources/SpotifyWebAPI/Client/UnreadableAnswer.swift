// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An answer that this program cannot decode.
public struct UnreadableAnswer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member that is missing or has another type, for instance `items.0.name`; empty for the whole answer.
    public let member: String

    public var description: String {
        (member.isEmpty
            ? "the answer is not JSON" : "the answer's \(member) is missing or has another type")
            + "; check whether this program is up to date"
    }

    init(member: String) { self.member = member }

    init(_ error: DecodingError) {
        let (path, last): ([any CodingKey], (any CodingKey)?) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath, key)
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context.codingPath, nil)
            @unknown default: ([], nil)
            }
        member = (path + [last].compactMap(\.self)).map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".")
    }
}
