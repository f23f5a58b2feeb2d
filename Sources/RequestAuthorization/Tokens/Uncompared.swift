// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value that does not count when its owner is compared: errors are equal if they mean the same.
struct Uncompared<Value: Sendable>: Hashable, Sendable {
    let value: Value

    static func == (left: Self, right: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
