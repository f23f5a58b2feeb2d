// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value that is seldom there. It lies in memory of its own, so that those who have none need no room for it.
indirect enum Boxed<Value> {
    case nothing
    case just(Value)

    var value: Value? {
        get { if case .just(let value) = self { value } else { nil } }
        set { self = newValue.map { .just($0) } ?? .nothing }
    }
}

extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
extension Boxed: Sendable where Value: Sendable {}
