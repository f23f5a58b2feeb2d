// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
package import Darwin
#elseif canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#elseif canImport(Android)
package import Android
#endif

/// A value that only one thread at a time can access.
///
/// It uses pthreads because the thread sanitizer does not see `Synchronization.Mutex` on Linux and reports correct
/// programs; both are equally fast. It is inlined into other modules, where a generic call would copy the value through
/// its witness table: 3 µs of a `URLSession` request.
///
/// `@unchecked Sendable` is safe: the value is accessed only in `withLock`, while the mutex is locked.
package final class Lock<Value>: @unchecked Sendable {
    @usableFromInline struct Contents {
        @usableFromInline var mutex = pthread_mutex_t()
        @usableFromInline var value: Value

        @inlinable init(value: consuming Value) { self.value = value }
    }

    /// The mutex and the value in one allocation, which does not move.
    @usableFromInline let contents: UnsafeMutablePointer<Contents>

    @inlinable package init(_ value: sending Value) {
        contents = .allocate(capacity: 1)
        contents.initialize(to: Contents(value: value))
        pthread_mutex_init(mutex, nil)
    }

    @inlinable deinit {
        pthread_mutex_destroy(mutex)
        contents.deinitialize(count: 1)
        contents.deallocate()
    }

    /// The mutex, which is first in the allocation.
    @inlinable var mutex: UnsafeMutablePointer<pthread_mutex_t> {
        UnsafeMutableRawPointer(contents).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&contents.pointee.value)
    }
}

/// The thread that created this value.
///
/// `@unchecked Sendable` is safe: the identifier of the thread is only compared.
struct CurrentThread: Equatable, @unchecked Sendable {
    private let name = pthread_self()

    static func == (left: Self, right: Self) -> Bool { pthread_equal(left.name, right.name) != 0 }
}
