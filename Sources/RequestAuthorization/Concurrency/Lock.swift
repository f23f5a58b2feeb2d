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
    // Both lie in one allocation, which does not move. A generic type for that allocation would be looked up by the
    // runtime whenever a lock is made, used or released in code that is not specialized.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable package init(_ value: sending Value) {
        let alignment = max(MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
        let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
        mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
        self.value = (memory + offset).initializeMemory(as: Value.self, to: value)
        pthread_mutex_init(mutex, nil)
    }

    @inlinable deinit {
        pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// A lock that many threads want for a short time each. A thread that waits for it tries again before it sleeps.
    static func contended(_ value: sending Value) -> Lock {
        let lock = Lock(value)
        #if canImport(Glibc)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        defer { pthread_mutexattr_destroy(&attributes) }
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
        pthread_mutex_destroy(lock.mutex)
        pthread_mutex_init(lock.mutex, &attributes)
        #endif
        return lock
    }

    /// For code that is inlined into programs. They see no type of the C library.
    @inline(__always) func acquire<Result>(_ read: (borrowing Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        return read(value.pointee)
    }

    func release() { pthread_mutex_unlock(mutex) }
}

/// The thread that created this value.
struct CurrentThread: Hashable {
    /// A pointer or an integer, depending on the system, of the size of a word.
    private let name = withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
}
