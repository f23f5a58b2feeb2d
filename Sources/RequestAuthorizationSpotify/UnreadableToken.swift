// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The stored data of another library contain no readable token.
public struct UnreadableToken: Error, Hashable, CustomStringConvertible {
    /// The library that wrote the data.
    public let format: String
    /// The member that is missing or malformed; `nil` if the data are not a JSON object.
    public let member: String?

    public init(format: String, member: String?) {
        self.format = format
        self.member = member
    }

    public var description: String {
        "the data that \(format) stored cannot be read: "
            + (member.map { "\($0) is missing or malformed" } ?? "they are not a JSON object") + "; sign in again"
    }
}
