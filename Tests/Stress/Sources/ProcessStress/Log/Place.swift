// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The position of a token: the number of its sign-in, and the number of tokens before it in that sign-in.
public struct Place: Hashable, Sendable, Codable, Comparable {
    public let family: Int
    public let generation: Int

    public init(family: Int, generation: Int) {
        self.family = family
        self.generation = generation
    }

    public var next: Place { Place(family: family, generation: generation + 1) }

    public static func < (left: Place, right: Place) -> Bool {
        (left.family, left.generation) < (right.family, right.generation)
    }
}
