// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Lock {
    /// Replaces the value and returns the former one, which is then not released under the lock.
    package func exchange(_ value: Value) -> Value {
        withLock { current in
            defer { current = value }
            return current
        }
    }
}
