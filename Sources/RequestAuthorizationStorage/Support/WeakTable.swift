// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// Objects that are shared as long as they are in use: one for each key.
final class WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var value: Value?
    }

    private let entries = Lock<[Key: Entry]>([:])

    /// - Parameter make: makes the object if none is in use; its `deinit` calls ``forget(_:)``.
    func value(for key: Key, _ make: () -> Value) -> Value {
        entries.withLock { entries in
            if let value = entries[key]?.value { return value }
            let value = make()
            entries[key] = Entry(value: value)
            return value
        }
    }

    /// Removes what is left of an object that is gone.
    func forget(_ key: Key) {
        let successor = entries.withLock { entries in
            let successor = entries[key]?.value
            if successor == nil { entries[key] = nil }
            return successor
        }
        // If nothing else holds it any more, its `deinit` comes here: that must not happen while the table is locked.
        withExtendedLifetime(successor) {}
    }
}
