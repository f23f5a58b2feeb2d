// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A continuation that several callers may try to resume; the first one does.
final class Once<Value: Sendable>: Sendable {
    private let continuation: Lock<UnsafeContinuation<Value, any Error>?>

    init(_ continuation: UnsafeContinuation<Value, any Error>) { self.continuation = Lock(continuation) }

    func resume(with result: Result<Value, any Error>) {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }?.resume(with: result)
    }
}
