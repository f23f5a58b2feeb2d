// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// A token endpoint in a folder, which many processes call: each token can be spent once.
///
/// Token `n` is spent by the file `n`, which the system lets one process make. Its successor is `n + 1`.
public struct SpentTokens: Sendable {
    /// The token was spent before.
    public struct Refused: Error {}

    private let folder: URL
    /// Whether a spent token whose successor has not been used yet gets the same successor again.
    private let hasGrace: Bool

    public init(folder: URL, hasGrace: Bool) { (self.folder, self.hasGrace) = (folder, hasGrace) }

    /// Spends a token, and returns its successor.
    public func spend(_ number: Int) throws -> Int {
        do {
            try Data().write(to: file("\(number)"), options: .withoutOverwriting)
        } catch {
            try Data().write(to: file("again-\(number)-\(UUID().uuidString)"))
            guard hasGrace, !FileManager.default.fileExists(atPath: file("\(number + 1)").path) else { throw Refused() }
        }
        return number + 1
    }

    /// The tokens that were spent, and how many calls came for a token that was spent before.
    public func counts() throws -> (spent: Int, again: Int) {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let again = names.count { $0.hasPrefix("again-") }
        return (names.count - again, again)
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}
