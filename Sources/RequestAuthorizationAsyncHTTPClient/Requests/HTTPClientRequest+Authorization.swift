// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
public import AsyncHTTPClient
import NIOHTTP1
public import RequestAuthorization

/// A request of async-http-client takes a credential: `try await request.authorize(using: .bearer("ABC"))`.
extension HTTPClientRequest: AuthorizableRequest {
    public var origin: Origin? { URL(string: url).flatMap { Origin($0) } }

    /// Whether the body, if there is one, is known to be in memory.
    ///
    /// True without a body and for those that the client itself would send again after a redirect: `.bytes` of a `ByteBuffer`
    /// or of a collection up to 4 MiB. Of any other the client does not say whether it can be read twice. If you know that it
    /// can, say so with `isReplayable: true` where you send it.
    public var isReplayable: Bool { body?.isKnownToBeInMemory ?? true }

    public func credential(in field: String) -> String? { headers.first(name: field) }

    /// Sets a header field to one value, in place of all that were there, names compared without case.
    ///
    /// A value that the client would refuse (control characters) is not set, and neither does an older one stay:
    /// `authorize(using:)` and `execute` throw then. The error of the client would repeat it, for logs to keep.
    public mutating func setCredential(_ value: String, in field: String) {
        CredentialFields.current?.insert(field)
        let isName = field == "Authorization" || field.isHeaderFieldName
        guard isName, value.fitsInHeaderLine else {
            CredentialFields.current?.refuse()
            if isName { headers.remove(name: field) }
            return
        }
        headers.replaceOrAdd(name: field, value: value)
    }

    /// Whether the request would be readable on the wire: anything but `https`, and neither to this machine nor to a socket of
    /// it that the URL names (`http+unix`).
    public var isPlaintext: Bool {
        if url.hasHTTPSScheme || url.namesLoopback { return false }
        return origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
    }

    public var requestMethod: String? { method.rawValue }

    public var targetURI: String? { url.withoutFragment }

    /// A copy of the body if it is known to be in memory, as for ``isReplayable``; empty if there is none, else `nil`.
    public var bodyBytes: [UInt8]? { body.map { $0.bytesInMemory } ?? [] }
}

// MARK: - Text

extension String {
    /// What the client takes for the name of a field; anything that is not ASCII would stop the program.
    var isHeaderFieldName: Bool { (try? HeaderFieldName.check(self)) != nil }

    /// Whether it holds no control character but the tab, as the client wants it (RFC 9110 §5.5).
    var fitsInHeaderLine: Bool {
        if HeaderFieldValue.isSurelyVisible(self) { return true }
        let fits: (UInt8) -> Bool = { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        return utf8.withContiguousStorageIfAvailable { bytes in
            for byte in bytes where !fits(byte) { return false }
            return true
        } ?? utf8.allSatisfy(fits)
    }

    fileprivate var hasHTTPSScheme: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count >= 6 else { return false }
            for (index, byte) in "https:".utf8.enumerated() where bytes[index] | 0x20 != byte | 0x20 { return false }
            return true
        } ?? false
    }
}
#endif
