// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import StoreFixtures

/// The places in which a token can be kept.
enum TokenPlace: CaseIterable, Sendable {
    case memory, shared, file, sealed

    /// Makes the place, and returns what opens it, once for each process.
    func make() throws -> TokenPlaceOpener {
        switch self {
        case .memory:
            let store = InMemoryTokenStore<OAuthToken>()
            return TokenPlaceOpener { store }
        case .shared:
            let store = InMemorySharedTokenStore<OAuthToken>()
            return TokenPlaceOpener { store.sibling() }
        case .file:
            let folder = RemovedFolder()
            return TokenPlaceOpener {
                RestrictedFileTokenStore<OAuthToken>(client: "tool", account: "me", folder: .at(folder.path))
            }
        case .sealed:
            let (items, key) = (InMemoryItems(), try TokenKey.bytes(Data(repeating: 7, count: 32)))
            return TokenPlaceOpener {
                EncryptedTokenStore<OAuthToken, _>(around: items.sibling(), key: key, client: "tool", account: "me")
            }
        }
    }
}

/// Opens a place as another process does.
struct TokenPlaceOpener: Sendable {
    let open: @Sendable () -> any TokenStore<OAuthToken>
}

/// A folder in the temporary folder, which is removed with this object.
final class RemovedFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "issuer-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
#endif
