// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Data of another library do not hold the token that they should.
public struct UnreadableToken: Error, Hashable, CustomStringConvertible {
    /// The library that wrote them.
    public let format: String
    /// The member that is missing or of another form; `nil` if there is no JSON object at all.
    public let member: String?

    public init(format: String, member: String?) {
        self.format = format
        self.member = member
    }

    public var description: String {
        "what \(format) stored cannot be read: " + (member.map { "no usable \($0)" } ?? "no JSON object")
            + "; let people sign in again"
    }
}
