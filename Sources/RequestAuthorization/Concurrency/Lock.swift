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

import Synchronization

/// A value that only one thread at a time can access.
///
/// It uses pthreads because the thread sanitizer does not see `Synchronization.Mutex` on Linux and reports correct
/// programs; both are equally fast. It is inlined into other modules, where a generic call would copy the value through
/// its witness table: 3 µs of a `URLSession` request.
///
/// `@unchecked Sendable` is safe: the value is accessed only in `withLock`, while the mutex is locked, and by `SharedLock`.
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

    /// Replaces the value and returns the former one, which is then not released under the lock.
    package func exchange(_ value: Value) -> Value {
        withLock { current in
            defer { current = value }
            return current
        }
    }

    // MARK: For `SharedLock`

    /// A lock with several mutexes, in a cache line each.
    init(_ value: sending Value, mutexes: Int) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: mutexes * Self.line + MemoryLayout<Value>.size, alignment: Self.line)
        mutex = memory.assumingMemoryBound(to: pthread_mutex_t.self)
        self.value = (memory + mutexes * Self.line).initializeMemory(as: Value.self, to: value)
        for number in 0..<mutexes {
            (memory + number * Self.line).initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
            pthread_mutex_init(mutex(number), nil)
        }
    }

    @inline(__always) func lock(_ number: Int) { pthread_mutex_lock(mutex(number)) }
    @inline(__always) func unlock(_ number: Int) { pthread_mutex_unlock(mutex(number)) }

    private static var line: Int { 128 }
    @inline(__always) private func mutex(_ number: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
        (UnsafeMutableRawPointer(mutex) + number * Self.line).assumingMemoryBound(to: pthread_mutex_t.self)
    }
}

/// Numbers the threads that ask: 0, 1, 2 and so on.
struct ThreadNumbers: Sendable {
    static let shared = ThreadNumbers()
    private static let last = Atomic(0)

    private let key: pthread_key_t

    private init() {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        self.key = key
    }

    var current: Int {
        if let known = pthread_getspecific(key) { return Int(bitPattern: known) &- 1 }
        let number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        return number - 1
    }
}
