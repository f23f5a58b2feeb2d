// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The period over which top items are computed.
public struct TimeRange: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// About four weeks.
    public static let shortTerm = TimeRange(rawValue: "short_term")
    /// About six months.
    public static let mediumTerm = TimeRange(rawValue: "medium_term")
    /// Several years.
    public static let longTerm = TimeRange(rawValue: "long_term")
}
