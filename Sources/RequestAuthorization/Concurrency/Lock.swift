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

/// A value that one thread at a time can touch.
///
/// It stands on pthreads because the thread sanitizer does not see `Synchronization.Mutex` on Linux and would report every
/// correct program; the two are equally fast. It is inlined into the other modules, where a generic call would copy the value by
/// way of its witnesses: 3 µs of a request of `URLSession`.
///
/// `@unchecked Sendable` is safe: the value is reached only in `withLock`, between lock and unlock of the mutex.
package final class Lock<Value>: @unchecked Sendable {
    @usableFromInline struct Contents {
        @usableFromInline var mutex = pthread_mutex_t()
        @usableFromInline var value: Value

        @inlinable init(value: consuming Value) { self.value = value }
    }

    /// In one piece of memory, which does not move.
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

    /// The first thing in the memory.
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
