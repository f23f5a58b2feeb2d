// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if SecretService
internal import CSecretService

/// The operation was cancelled by its deadline or its task.
struct SecretServiceCancelled: Error {}

/// An error of libsecret. It always means "unavailable": only an empty search of an unlocked keyring means "no token".
struct SecretServiceError: Error {
    let isLocked: Bool
    /// Whether the service that was called has ended. The call did nothing then.
    let isGone: Bool
    let reported: TokenStoreError

    static let locked = SecretServiceError(
        isLocked: true, isGone: false,
        reported: TokenStoreError(.unavailable, "the keyring is locked; unlock it, or log in to the desktop"))

    static func unusable(_ reason: String, isGone: Bool = false) -> SecretServiceError {
        SecretServiceError(
            isLocked: false, isGone: isGone,
            reported: TokenStoreError(
                .unavailable,
                """
                the Secret Service could not be used (\(reason)); it needs a session bus and a service such as \
                gnome-keyring; without them use RestrictedFileTokenStore
                """))
    }
}

/// Calls libsecret and throws its `GError`.
func calling<Result>(_ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Result) throws -> Result {
    var error: UnsafeMutablePointer<GError>?
    let result = body(&error)
    guard let error else { return result }
    defer { g_error_free(error) }
    throw error.pointee.meaning
}

/// Calls libsecret for an object. When the call is cancelled, libsecret may return neither an object nor an error.
func callingForObject<Object>(
    _ cancellation: SecretServiceCancellation,
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Object?
) throws -> Object {
    if let object = try calling(body) { return object }
    guard g_cancellable_is_cancelled(cancellation.cancellable) == 0 else { throw SecretServiceCancelled() }
    throw SecretServiceError.unusable("no answer")
}

extension GError {
    /// The error without its message, in which a service may put anything.
    fileprivate var meaning: any Error {
        if domain == g_io_error_quark(), code == Int32(G_IO_ERROR_CANCELLED.rawValue) {
            return SecretServiceCancelled()
        }
        // The connection may be broken, so the next operation makes a new one.
        secret_service_disconnect()
        if domain == secret_error_get_quark(), code == Int32(SECRET_ERROR_IS_LOCKED.rawValue) {
            return SecretServiceError.locked
        }
        let name = g_quark_to_string(domain).map { String(cString: $0) } ?? "error"
        let isGone = domain == g_dbus_error_quark() && code == Int32(G_DBUS_ERROR_SERVICE_UNKNOWN.rawValue)
        return SecretServiceError.unusable("\(name) \(code)", isGone: isGone)
    }
}
#endif
