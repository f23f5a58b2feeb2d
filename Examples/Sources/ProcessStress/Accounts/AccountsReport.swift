// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What many accounts in one process cost.
public struct AccountsReport: Hashable, Sendable, Codable {
    /// How many providers, each with an account of its own.
    public var accounts = 0
    /// How long it took until all had their token.
    public var loadSeconds = 0.0
    /// The most that the process had open.
    public var descriptors = 0
    public var inotifyInstances = 0
    /// The most that the process had.
    public var threads = 0
    /// Processor time while nothing is to be done, of one core.
    public var idleCorePercent = 0.0
    /// How many accounts another process held locked, while this one waited to refresh each of them.
    public var lockedElsewhere = 0
    /// How long an account that is not locked takes to load meanwhile: the median of some.
    public var unlockedLoadSeconds = 0.0
    /// What is wrong; empty if all is well.
    public var problems: [String] = []

    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// For people.
    public var table: String {
        """
        accounts               \(accounts)
        loaded in              \(String(format: "%.3f s", loadSeconds))
        descriptors            \(descriptors)
        inotify instances      \(inotifyInstances)
        threads                \(threads)
        idle                   \(String(format: "%.2f", idleCorePercent)) % of a core
        locked elsewhere       \(lockedElsewhere)
        unlocked one loaded in \(String(format: "%.4f s", unlockedLoadSeconds))
        """
    }

    /// Compares the figures with their bounds.
    mutating func judge() {
        let bounds: [(String, Double, Double)] = [
            ("loadSeconds", loadSeconds, 5), ("descriptors", Double(descriptors), 64),
            ("inotifyInstances", Double(inotifyInstances), 1), ("threads", Double(threads), 16),
            ("idleCorePercent", idleCorePercent, 1), ("unlockedLoadSeconds", unlockedLoadSeconds, 0.05),
        ]
        for (name, figure, bound) in bounds where figure > bound {
            problems.append("\(name) is \(figure), and may be \(bound)")
        }
    }
}
