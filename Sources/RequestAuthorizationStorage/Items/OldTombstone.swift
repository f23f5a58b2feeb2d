// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// A tombstone that nobody needs any more: whoever might have brought the session back has found it by now.
struct OldTombstone {
    private let item: Data

    /// Seconds: 30 days.
    static let age: TimeInterval = 30 * 86_400

    /// - Returns: `nil` if it is a token, or a sign-out of the last 30 days.
    init?<Token>(_ stored: StoredToken<Token>, item: Data, clock: any AuthorizationClock = .system) {
        guard case .signedOut = stored.content, clock.now.timeIntervalSince(stored.obtainedAt) > Self.age else {
            return nil
        }
        self.item = item
    }

    /// Removes it if no refresh is under way; whoever loads next tries again.
    ///
    /// - Returns: whether it is gone.
    func sweep(from items: some SharedByteStore) async -> Bool {
        guard let lock = try? await items.lock(within: .milliseconds(100)) else { return false }
        let isGone = (try? await items.clear(item)) != nil
        await lock.unlock()
        return isGone
    }
}
