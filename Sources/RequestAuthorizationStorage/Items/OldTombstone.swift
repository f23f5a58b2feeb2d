// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A tombstone that is no longer needed: every process that could restore the session has seen it by now.
struct OldTombstone {
    private let item: Data

    /// 30 days, in seconds.
    static let age: TimeInterval = 30 * 86_400

    /// - Returns: `nil` if the item is a token or a sign-out of the last 30 days.
    init?<Token>(_ stored: StoredToken<Token>, item: Data, clock: any AuthorizationClock = .system) {
        guard case .signedOut = stored.content, clock.now.timeIntervalSince(stored.obtainedAt) > Self.age else {
            return nil
        }
        self.item = item
    }

    /// Removes the tombstone, or returns `false` if that fails or a refresh is under way. The next load tries again.
    func sweep(from items: some SharedByteStore) async -> Bool {
        guard let lock = try? await items.lock(within: .milliseconds(100)) else { return false }
        let isGone = (try? await items.clear(item)) != nil
        await lock.unlock()
        return isGone
    }
}
