// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import FoundationEssentials
import SimulationCheck

/// Reads an item as the store shows it, by its documented form and not by the library's code.
struct StoredItem: Decodable {
    private struct Token: Decodable { let refresh: String }

    private let status: String
    private let session: String
    private let generation: Int
    private let token: Token?

    static func view(_ item: Data?) -> StoredView {
        guard let item, !item.isEmpty else { return StoredView(.nothing) }
        guard let stored = try? JSONDecoder().decode(Self.self, from: item) else { return StoredView(.damaged) }
        let place = stored.token.flatMap { Place($0.refresh) }
        return StoredView(
            place == nil ? .tombstone : .token, session: stored.session, generation: stored.generation, place: place)
    }
}
