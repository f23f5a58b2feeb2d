// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The names, secrets and keys of a scenario.
struct Material: Sendable {
    static let documentURL = "https://client.example/metadata.json"
    static let identityClient = "client-at-the-identity-provider"

    let clientID = "client-" + random()
    /// Its signs have to be encoded in a form and in Basic.
    let clientSecret = "secret/+:" + random()
    let workloadKey = P256.Signing.PrivateKey()
    let identityKey = P256.Signing.PrivateKey()

    static func random() -> String { UUID().uuidString.lowercased() }
}
#endif
