// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The number of followers.
public struct Followers: Decodable, Hashable, Sendable {
    public let total: Int
}
