// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService
import RequestAuthorization

/// An item of the Secret Service as an item of bytes: what ``SecretServiceTokenStore`` stands on.
public struct SecretServiceTokenItem: ByteStore {
    let name: SecretServiceName
    let limit: Duration
    let clock: any AuthorizationClock
    private let queue = BlockingQueue("SecretService")

    init(name: SecretServiceName, limit: Duration, clock: any AuthorizationClock) {
        self.name = name
        self.limit = limit
        self.clock = clock
    }

    public func load() async throws -> Data? { try await perform { [name] in try $0.value(of: name) } }
    public func save(_ item: Data) async throws { try await perform { [name] in try $0.store(item, as: name) } }
    public func clear() async throws { try await perform { [name] in try $0.delete(name) } }

    /// Does it on a thread that may block; ends it at the deadline and when the task is cancelled, for a prompt that nobody
    /// sees waits for ever.
    private func perform<Result: Sendable>(
        _ work: @escaping @Sendable (SecretServiceSession) throws -> Result
    ) async throws -> Result {
        // A text of C ends there, and the name would be another account's.
        guard !(name.client + name.account).utf8.contains(0) else {
            throw TokenStoreError(.unsuitable, "a client or an account holds NUL; choose another name")
        }
        let cancellation = SecretServiceCancellation()
        let timer = Task { [clock, limit] in
            try await clock.sleep(for: limit)
            cancellation.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await queue.run { try work(try SecretServiceSession(cancellation)) }
            } onCancel: {
                cancellation.cancel()
            }
        } catch let error as SecretServiceError {
            throw error.reported
        } catch is SecretServiceCancelled {
            try Task.checkCancellation()
            throw TokenStoreError(
                .timedOut, "the Secret Service did not answer within \(limit): somebody may have to unlock it")
        }
    }
}

extension SecretServiceTokenItem: RedactedDescription {}

/// Ends the calls of libsecret that were given its cancellable.
///
/// `@unchecked Sendable` is safe: a `GCancellable` may be cancelled from any thread, and nothing else is done with it here.
final class SecretServiceCancellation: @unchecked Sendable {
    let cancellable = g_cancellable_new()

    func cancel() { g_cancellable_cancel(cancellable) }

    deinit { g_object_unref(cancellable) }
}
#endif
