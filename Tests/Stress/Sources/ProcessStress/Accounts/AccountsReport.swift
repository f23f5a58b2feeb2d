// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The costs of many accounts in one process.
public struct AccountsReport: Hashable, Sendable, Codable {
    /// The number of providers, each with its own account.
    public var accounts = 0
    /// The time until all providers had their token.
    public var loadSeconds = 0.0
    /// The largest number of open descriptors.
    public var descriptors = 0
    public var inotifyInstances = 0
    /// The largest number of threads.
    public var threads = 0
    /// The processor time while nothing happens, in percent of one core.
    public var idleCorePercent = 0.0
    /// The number of accounts that another process held locked, while this process waited to refresh them.
    public var lockedElsewhere = 0
    /// The median time to load an unlocked account meanwhile.
    public var unlockedLoadSeconds = 0.0
    /// The violated expectations. Must be empty.
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

    /// Compares the figures with their limits.
    mutating func judge() {
        let bounds: [(String, Double, Double)] = [
            ("loadSeconds", loadSeconds, 5), ("descriptors", Double(descriptors), 64),
            ("inotifyInstances", Double(inotifyInstances), 1), ("threads", Double(threads), 16),
            ("idleCorePercent", idleCorePercent, 1), ("unlockedLoadSeconds", unlockedLoadSeconds, 0.05),
        ]
        for (name, figure, bound) in bounds where figure > bound {
            problems.append("\(name) is \(figure), more than \(bound)")
        }
    }
}
