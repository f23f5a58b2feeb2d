// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The value of a record after a sign-out on all devices: the session that has ended.
///
/// It is not encrypted, so that a device without the key can sign out. An envelope shows its session, too.
enum CloudTombstone {
    private static let magic = Data("RAST1".utf8)

    static func value(for session: UUID) -> Data { magic + withUnsafeBytes(of: session.uuid) { Data($0) } }

    /// - Returns: `nil` if the value is no tombstone.
    static func session(of value: Data) -> UUID? {
        guard value.starts(with: magic), value.count == magic.count + MemoryLayout<uuid_t>.size else { return nil }
        return UUID(uuid: value.dropFirst(magic.count).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension TokenStoreError {
    static var signedOutOnAnotherDevice: TokenStoreError {
        var error = TokenStoreError(
            .failed,
            "another device has signed out of this session, or in to another one, so its token is not saved; load again"
        )
        error.isOfEndedSession = true
        return error
    }
}
