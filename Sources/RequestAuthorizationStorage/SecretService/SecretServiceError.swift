// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService

/// The operation was ended by its deadline or its task.
struct SecretServiceCancelled: Error {}

/// What libsecret says, as far as it matters. All of it means "unavailable": only an empty search of an unlocked keyring
/// means "nothing there".
struct SecretServiceError: Error {
    let isLocked: Bool
    let reported: TokenStoreError

    static let locked = SecretServiceError(
        isLocked: true,
        reported: TokenStoreError(.unavailable, "the keyring is locked: unlock it, or log in to the desktop"))

    static func unusable(_ reason: String) -> SecretServiceError {
        SecretServiceError(
            isLocked: false,
            reported: TokenStoreError(
                .unavailable,
                """
                the Secret Service could not be used (\(reason)): it needs a session bus and a service such as \
                gnome-keyring; elsewhere use RestrictedFileTokenStore
                """))
    }
}

/// Makes a call of libsecret whose failure is a `GError`.
func calling<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result
) throws -> Result {
    var error: UnsafeMutablePointer<GError>?
    let result = body(&error)
    guard let error else { return result }
    defer { g_error_free(error) }
    throw error.pointee.meaning
}

/// The same for a call whose result is an object, which libsecret may also leave out without an error when it is cancelled.
func callingForObject<Object>(
    _ cancellation: SecretServiceCancellation,
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Object?
) throws -> Object {
    if let object = try calling(body) { return object }
    guard g_cancellable_is_cancelled(cancellation.cancellable) == 0 else { throw SecretServiceCancelled() }
    throw SecretServiceError.unusable("no answer")
}

extension GError {
    /// The message is not passed on: nobody knows what a service puts there.
    fileprivate var meaning: any Error {
        if domain == g_io_error_quark(), code == Int32(G_IO_ERROR_CANCELLED.rawValue) {
            return SecretServiceCancelled()
        }
        // What was connected before may be gone for good: the next operation connects anew.
        secret_service_disconnect()
        if domain == secret_error_get_quark(), code == Int32(SECRET_ERROR_IS_LOCKED.rawValue) {
            return SecretServiceError.locked
        }
        let name = g_quark_to_string(domain).map { String(cString: $0) } ?? "error"
        return SecretServiceError.unusable("\(name) \(code)")
    }
}
#endif
