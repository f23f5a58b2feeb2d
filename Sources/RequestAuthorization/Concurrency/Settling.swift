// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Those who wait for a provider to settle, by number. The number may be settled before its continuation is there.
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

    /// Resumes these once each; a number that does not wait yet will not have to.
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

    /// A number that has been waited for is not kept.
    func forget(_ number: Int) { contents.withLock { _ = $0.ended.remove(number) } }
}
