// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The name of a process: the number of its worker, and the number of earlier processes of that worker.
public struct ProcessName: Hashable, Sendable, Codable, CustomStringConvertible {
    public let worker: Int
    public let life: Int

    public init(worker: Int, life: Int) {
        self.worker = worker
        self.life = life
    }

    /// Parses the form that requests contain: `3.17`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(worker: parts[0], life: parts[1])
    }

    public var description: String { "\(worker).\(life)" }
}
