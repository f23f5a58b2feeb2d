// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService

/// The storage of ``SecretServiceTokenStore``: an item of the Secret Service.
public struct SecretServiceTokenItem: ByteStore, RedactedDescription {
    let name: SecretServiceName
    let limit: Duration
    let clock: any AuthorizationClock
    private let queue = DispatchFileQueue("SecretService")

    public func load() async throws -> Data? { try await perform { [name] in try $0.value(of: name) } }
    public func save(_ item: Data) async throws { try await perform { [name] in try $0.store(item, as: name) } }
    public func clear() async throws { try await perform { [name] in try $0.delete(name) } }

    /// Runs the work on a thread that may block. Cancels it at the deadline and with the task, because a prompt that
    /// the user does not see waits for ever.
    ///
    /// It does not wait for what it has cancelled: libsecret waits until the service says that a prompt is over.
    private func perform<Result: Sendable>(
        _ work: @escaping @Sendable (SecretServiceSession) throws -> Result
    ) async throws -> Result {
        // A C string ends at NUL, so the name could be that of another account.
        guard !(name.client + name.account).utf8.contains(0) else {
            throw TokenStoreError(.unsuitable, "the client or the account contains NUL; choose another name")
        }
        try Task.checkCancellation()
        let cancellation = SecretServiceCancellation()
        let overdue = TokenStoreError(
            .timedOut, "the Secret Service did not answer within \(limit); it may be waiting to be unlocked")
        return try await endingAtOnce(within: limit, of: clock, else: overdue) { [queue] in
            do {
                return try await withTaskCancellationHandler {
                    try await queue.run { try SecretServiceSession.run(cancellation, work) }
                } onCancel: {
                    cancellation.cancel()
                }
            } catch let error as SecretServiceError {
                throw error.reported
            }
        }
    }
}

/// Cancels the calls of libsecret that use its `GCancellable`.
///
/// `@unchecked Sendable` is safe: a `GCancellable` may be cancelled from any thread, and has no other use here.
final class SecretServiceCancellation: @unchecked Sendable {
    let cancellable = g_cancellable_new()

    func cancel() { g_cancellable_cancel(cancellable) }

    deinit { g_object_unref(cancellable) }
}
#endif
