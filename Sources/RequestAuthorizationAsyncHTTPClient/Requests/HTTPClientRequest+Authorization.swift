// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
/// Authorizes a request of async-http-client: `try await request.authorize(using: .bearer("ABC"))`.
extension HTTPClientRequest: AuthorizableRequest {
    public var origin: Origin? { URL(string: url).flatMap { Origin($0) } }

    /// Whether the request has no body, or one that is known to be in memory.
    ///
    /// A body is known to be in memory if the client itself would send it again after a redirect: `.bytes` of a
    /// `ByteBuffer` or of a collection up to 4 MiB. The client does not say whether other bodies can be read twice. If
    /// yours can, pass `isReplayable: true` to `execute`.
    public var isReplayable: Bool { body?.isKnownToBeInMemory ?? true }

    public func credential(in field: String) -> String? { headers.first(name: field) }

    /// Sets a header field to one value and removes its other values. Names are compared without case.
    ///
    /// A value that the client would refuse (control characters) is not set, and the old value is removed: no `Credential`
    /// has such a value. The client's own error would contain the value, and logs would keep it.
    public mutating func setCredential(_ value: String, in field: String) {
        guard field == "Authorization" || field.isHeaderFieldName else { return }
        guard value.fitsInHeaderLine else { return headers.remove(name: field) }
        headers.replaceOrAdd(name: field, value: value)
    }

    /// Whether others on the network could read the request.
    ///
    /// True for `http`, except to loopback, and for a request without an origin. A socket of this machine
    /// (`http+unix`) is not on the network.
    public var isPlaintext: Bool {
        if url.isEncryptedURL || url.namesLoopback { return false }
        return origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
    }

    public var requestMethod: String? { method.rawValue }

    /// The URL without its fragment, percent-encoded as the client sends it.
    public var targetURI: String? {
        let isEncoded = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.encodedCharacters.contains($0) }
        return (isEncoded ? url : URL(string: url)?.absoluteString ?? url).withoutFragment
    }

    /// The visible characters of ASCII that no URI may contain (RFC 3986 §2), so that the client encodes them.
    private static let encodedCharacters = Set("\"<>\\^`{|}".utf8)

    /// A copy of the body if it is known to be in memory (see ``isReplayable``); empty without a body, else `nil`.
    public var bodyBytes: [UInt8]? { body.map { $0.bytesInMemory } ?? [] }
}

/// Gives providers the status and the challenge fields of a response of async-http-client.
extension HTTPClientResponse: AuthorizableResponse {
    public var statusCode: Int { Int(status.code) }

    public func headerValues(for field: String) -> [String] { headers[field] }
}

// MARK: - Body

extension HTTPClientRequest.Body {
    /// Whether the client keeps the body as bytes that can be read more than once.
    ///
    /// The client's `canBeConsumedMultipleTimes` is internal, so a mirror reads the body's structure. A body that the
    /// mirror does not recognise counts as readable once. If a later client changes the structure, retries are lost,
    /// but half a body is never sent. `ReplayTests` compares the result with the client's behaviour.
    var isKnownToBeInMemory: Bool {
        guard let mode = Mirror(reflecting: self).descendant("mode"),
            let (label, payload) = Mirror(reflecting: mode).children.first
        else { return false }
        switch label {
        case "byteBuffer": return true
        case "sequence": return Mirror(reflecting: payload).descendant("canBeConsumedMultipleTimes") as? Bool ?? false
        default: return false
        }
    }

    /// A copy of the body if it is known to be in memory.
    ///
    /// The client makes the buffer in `makeAsyncIterator()`, which is public; `next()` would suspend. Calling the
    /// function that makes the buffer through the mirror would crash: its calling convention differs.
    var bytesInMemory: [UInt8]? {
        guard isKnownToBeInMemory, let storage = Mirror(reflecting: makeAsyncIterator()).descendant("storage"),
            let buffer = Mirror(reflecting: storage).descendant("byteBuffer") as? ByteBuffer
        else { return nil }
        return Array(buffer.readableBytesView)
    }
}

// MARK: - Text

extension String {
    /// Whether it is a valid field name. A name that is not ASCII would stop the program in the client.
    var isHeaderFieldName: Bool { (try? HeaderFieldName.check(self)) != nil }

    /// Whether it holds no control character but the tab, as the client requires (RFC 9110 §5.5).
    var fitsInHeaderLine: Bool {
        if HeaderFieldValue.isSurelyVisible(self) { return true }
        let fits: (UInt8) -> Bool = { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        return unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy(fits) } ?? utf8.allSatisfy(fits)
    }
}
#endif
