// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How an envelope of `EncryptedTokenStore` begins, in every version: known also where there is no cryptography.
enum EnvelopeFormat {
    static let magic = Array("RASE".utf8)

    static func isEnvelope(_ item: Data) -> Bool { item.starts(with: magic) }
}
