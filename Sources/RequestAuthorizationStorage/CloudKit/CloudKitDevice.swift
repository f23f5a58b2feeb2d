// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(CryptoKit) || Crypto
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The random name of a device that signs in separately. It is in the Keychain, so that it survives deleting the app.
struct CloudKitDevice: Sendable {
    private let item: KeychainTokenItem

    init(_ client: String, _ account: String, _ accessGroup: String?, _ keychain: any KeychainCalls) {
        item = KeychainTokenItem(
            query: KeychainQuery(
                service: KeychainPurpose.device.service(of: client), account: account, accessGroup: accessGroup,
                accessibility: .afterFirstUnlockThisDeviceOnly),
            keychain: keychain)
    }

    func id() async throws -> Data {
        try await item.load(orAdding: Data(UUID().uuidString.utf8))
    }

    /// A name for the record that CloudKit accepts (at most 255 ASCII characters) and that hides client and account.
    static func recordName(client: String, account: String, device: Data?) -> String {
        var hash = SHA256()
        for part in [Data(client.utf8), Data(account.utf8), device ?? Data()] {
            hash.update(data: withUnsafeBytes(of: UInt64(part.count).bigEndian) { Data($0) })
            hash.update(data: part)
        }
        return "token-" + hash.finalize().map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
#endif
