// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationOAuth

extension Data {
    /// Base64 with `-` and `_` and without `=` (RFC 4648 §5, RFC 7636 App. A).
    public func base64URLEncodedString() -> String { Base64URL.encode(self) }
}
