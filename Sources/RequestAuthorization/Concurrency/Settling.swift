// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The callers that wait for a provider to settle, by number. A number may be resumed before its caller waits.
final class Settling: Sendable {
    private struct Contents {
        var waiting: [Int: UnsafeContinuation<Void, Never>] = [:]
        var ended: Set<Int> = []
    }

    private let contents = Lock(Contents())

    /// Suspends until the number is resumed.
    func wait(for number: Int) async {
        await withUnsafeContinuation { continuation in
            let hasEnded = contents.withLock { contents in
                if contents.ended.remove(number) != nil { return true }
                contents.waiting[number] = continuation
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Resumes each number once. A number whose caller does not wait yet is remembered.
    func resume(_ numbers: [Int]) {
        let waiting = contents.withLock { contents in
            numbers.compactMap { number -> UnsafeContinuation<Void, Never>? in
                let waiting = contents.waiting.removeValue(forKey: number)
                if waiting == nil { contents.ended.insert(number) }
                return waiting
            }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Forgets a number after its wait.
    func forget(_ number: Int) { contents.withLock { _ = $0.ended.remove(number) } }
}
