// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A value that many threads read at a time, and that one thread changes while none reads it.
///
/// Each thread has one of several mutexes, for reading: readers share no memory. A writer takes all of them.
struct SharedLock<Value>: Sendable {
    private let lock: Lock<Value>
    private let threads = ThreadNumbers.shared

    init(_ value: sending Value) { lock = Lock(value, mutexes: SharedLockWidth.mutexes) }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        for number in 0..<SharedLockWidth.mutexes { lock.lock(number) }
        defer { for number in 0..<SharedLockWidth.mutexes { lock.unlock(number) } }
        return body(&lock.value.pointee)
    }

    func read<Result>(_ body: (borrowing Value) -> Result) -> Result {
        let reader = threads.current & (SharedLockWidth.mutexes - 1)
        lock.lock(reader)
        return release(reader, body)
    }

    // For code that is inlined into programs. They see no type of the C library.

    /// Begins to read the value.
    ///
    /// - Returns: what was read, and what ``release(_:_:)`` needs.
    @inline(__always) func acquire<Result>(_ body: (borrowing Value) -> Result) -> (Result, reader: Int) {
        let reader = threads.current & (SharedLockWidth.mutexes - 1)
        lock.lock(reader)
        return (body(lock.value.pointee), reader)
    }

    /// Reads the value once more, on the same thread, and ends to read it.
    @inline(__always) func release<Result>(_ reader: Int, _ body: (borrowing Value) -> Result) -> Result {
        let result = body(lock.value.pointee)
        lock.unlock(reader)
        return result
    }
}

/// No member of the generic type: code that is not specialized would look that one up for each read.
private enum SharedLockWidth {
    /// A power of two. A writer takes as many mutexes.
    static var mutexes: Int { 8 }
}
