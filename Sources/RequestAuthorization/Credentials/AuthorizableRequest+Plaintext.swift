// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthorizableRequest {
    /// Refuses a credential for a request that others on the network could read (RFC 6750 §5.3, RFC 7617 §4).
    ///
    /// The error has no static type: otherwise each waiting request would keep memory for it.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/insecureTransport``.
    @usableFromInline package func refusePlaintext() throws {
        guard isPlaintext else { return }
        let detail =
            if let origin {
                "\(origin) is not encrypted: use https, or allow it by name with restricted(to:allowingPlaintext:)"
            } else {
                "the request has no origin: its type must provide one, or say that the request is encrypted"
            }
        throw NotAuthorized(.insecureTransport, detail: detail)
    }
}
