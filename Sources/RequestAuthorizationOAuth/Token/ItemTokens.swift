// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The token of a session in an item of bytes, as JSON.
struct ItemTokens<Items: ByteStore>: CodableTokenStore, RedactedDescription {
    typealias Token = OAuthToken

    let items: Items
}

extension ItemTokens: SharedTokenStore, SharedCodableTokenStore where Items: SharedByteStore {}
