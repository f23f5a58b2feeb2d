// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import RequestAuthorization
@_spi(FileLayer) import RequestAuthorizationStorage
import SimulationCheck

/// An item beside the token, as a process uses it. Each value is written once, so that a read tells which change it saw.
///
/// `@unchecked`: nothing of a run happens at the same time. The scheduler's thread waits while a fiber runs.
final class SharedItem: @unchecked Sendable {
    static let account = "note"

    private let process: SimulatedProcess
    private let ledger: Ledger
    private let items: any SharedByteStore
    private let accounts: RestrictedFileAccounts?
    /// The value that the process has read or written last.
    private var known: Int?

    /// - Parameter accounts: the accounts of the folder, if the item is in a file.
    init(
        _ process: SimulatedProcess, _ ledger: Ledger, _ items: any SharedByteStore,
        accounts: RestrictedFileAccounts? = nil
    ) {
        (self.process, self.ledger, self.items, self.accounts) = (process, ledger, items, accounts)
    }

    func use(_ use: Plan.ItemUse) async throws {
        switch use {
        case .read: try await read()
        case .save: try await change(to: number()) { try await self.items.save(Self.encode($0)) }
        case .replace:
            try await read()
            guard let known else { return }
            try await change(to: number(), over: known) { value in
                let last = Self.encode(known)
                let result = try await self.items.save(Self.encode(value), ending: nil) { kept, _ in kept == last }
                if result != .saved { throw NotSaved() }
            }
        case .clear: try await change(to: nil) { _ in try await self.items.clear() }
        // These two do nothing if the item is another one. The ledger must not count them as made.
        case .clearKnown: try await changePerhaps { try await self.items.clear($0) }
        case .setAside: try await changePerhaps { _ = try await self.items.setAside($0) }
        case .removeAccount:
            guard let accounts else { return }
            try await change(to: nil) { _ in try await accounts.remove(Self.account) }
        case .list: _ = try await accounts?.names()
        }
    }

    // MARK: -

    private struct NotSaved: Error {}

    private func number() -> Int { ledger.nextRequest() }

    private func read() async throws {
        let read = number()
        ledger.note(.itemReadBegan(read: read, process: process.number))
        known = try await items.load().map(Self.decode)
        ledger.note(.itemRead(read: read, value: known))
    }

    private func change(
        to value: Int?, over: Int? = nil, _ body: @Sendable (Int) async throws -> Void
    ) async throws {
        let change = number()
        ledger.note(.itemChangeBegan(change: change, process: process.number, value: value, over: over))
        do {
            try await body(value ?? 0)
        } catch {
            ledger.note(.itemChangeEnded(change: change, isMade: false))
            throw error
        }
        known = value
        ledger.note(.itemChangeEnded(change: change, isMade: true))
    }

    private func changePerhaps(_ body: @Sendable (Data) async throws -> Void) async throws {
        guard let known else { return }
        try? await change(to: nil) { _ in
            try await body(Self.encode(known))
            throw NotSaved()
        }
        self.known = nil
    }

    /// The text has a length of its own, so that a torn write is seen.
    private static func encode(_ value: Int) -> Data {
        Data("\(value):".utf8) + Data(repeating: UInt8(ascii: "x"), count: value % 97)
    }

    private static func decode(_ data: Data) -> Int {
        let digits = data.prefix { $0 != UInt8(ascii: ":") }
        guard let value = Int(String(decoding: digits, as: UTF8.self)), encode(value) == data else { return -1 }
        return value
    }
}
