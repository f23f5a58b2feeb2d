// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The thread that created this value.
///
/// `@unchecked Sendable` is safe: the identifier of the thread is only compared.
struct CurrentThread: Equatable, @unchecked Sendable {
    private let name = pthread_self()

    static func == (left: Self, right: Self) -> Bool { pthread_equal(left.name, right.name) != 0 }
}
