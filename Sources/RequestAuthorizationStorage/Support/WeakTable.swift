// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization

/// One shared object per key, for as long as it is referenced.
final class WeakTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var value: Value?
    }

    private let entries = Lock<[Key: Entry]>([:])

    /// - Parameter make: makes the object if the table has none. The object's `deinit` must call ``forget(_:)``.
    func value(for key: Key, _ make: () -> Value) -> Value {
        entries.withLock { entries in
            if let value = entries[key]?.value { return value }
            let value = make()
            entries[key] = Entry(value: value)
            return value
        }
    }

    /// Removes the entry of an object that was deallocated, unless the key has a new object.
    func forget(_ key: Key) {
        let successor = entries.withLock { entries in
            let successor = entries[key]?.value
            if successor == nil { entries[key] = nil }
            return successor
        }
        // If this is the last reference, the successor's `deinit` calls this function, which locks the table.
        withExtendedLifetime(successor) {}
    }
}
