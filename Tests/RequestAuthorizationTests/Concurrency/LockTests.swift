// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorization
import Synchronization
import Testing

/// A lock lays its mutex and its value out itself, so any value must fit.
@Suite(.timeLimit(.minutes(5))) struct LockTests {
    @Test func `values of any size and alignment are kept beside the mutex`() {
        expectKept(UInt8(7))
        expectKept("a text that is longer than fifteen bytes")
        expectKept(SIMD64<UInt8>(repeating: 7))
        expectKept([SIMD8<Double>(repeating: 7)] as [SIMD8<Double>]?)
    }

    private func expectKept<Value: Equatable & Sendable>(_ value: Value) {
        let lock = Lock(value)
        for _ in 0..<2 {
            #expect(lock.withLock { $0 } == value)
            let address = lock.withLock { withUnsafePointer(to: &$0) { Int(bitPattern: $0) } }
            #expect(address.isMultiple(of: MemoryLayout<Value>.alignment))
        }
    }

    @Test func `a value is released with its lock, once`() {
        let count = Atomic(0)
        do {
            let lock = Lock(Counted { count.add(1, ordering: .relaxed) })
            lock.withLock { _ in }
            #expect(count.load(ordering: .relaxed) == 0)
        }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func `only one thread at a time changes the value`() async {
        let lock = Lock(0)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<10_000 { lock.withLock { $0 += 1 } } } }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }
}

private final class Counted: Sendable {
    private let atEnd: @Sendable () -> Void

    init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

    deinit { atEnd() }
}
