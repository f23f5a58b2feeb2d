// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Origin {
    /// Whether a URL has this origin, decided from its bytes; `nil` if a parser is needed.
    ///
    /// It reads `scheme://host` and `scheme://host:port`, followed by the end, `/`, `?` or `#`. The scheme must have
    /// the length of `http` or `https`; the host may hold ASCII letters, digits, `.` and `-`. Anything else needs a
    /// parser: user information, a backslash, an escape, a WebSocket.
    package func isOrigin(ofURL text: String) -> Bool? {
        text.utf8.withContiguousStorageIfAvailable { begins($0) ? true : isOrigin(of: $0) } ?? nil
    }

    /// Whether a URL begins with this origin in its usual form: `https://`, the host in lower case, no port.
    @inline(__always)
    private func begins(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard port == 443, scheme == "https", url.count > 8 else { return false }
        let beginning = UnsafeRawBufferPointer(url).loadUnaligned(as: UInt64.self)
        guard UInt64(littleEndian: beginning) == 0x2F2F_3A73_7074_7468, let end = url.skip(host, from: 8) else {
            return false
        }
        return end > 8 && url.isEndOfAuthority(end)
    }

    private func isOrigin(of url: UnsafeBufferPointer<UInt8>) -> Bool? {
        let colon = url.end(of: 0) { $0.isASCIILetterOrDigit }
        let first = colon + 3
        guard colon == 4 || colon == 5, first < url.count, url[0].isASCIILetter, url[colon] == UInt8(ascii: ":"),
            url[colon + 1] == UInt8(ascii: "/"), url[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let end = url.end(of: first) { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard end > first, let port = url.port(from: end), let isScheme = url.holds(scheme, in: 0..<colon),
            let isHost = url.holds(host, in: first..<end)
        else { return nil }
        // Equal schemes have the same default port.
        return isScheme && isHost && self.port == (port ?? Self.defaultPort(of: scheme))
    }
}

extension String {
    /// The URI without its fragment, which is not sent to the server (RFC 9110 §7.1).
    package var withoutFragment: String {
        guard let fragment = utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
        return String(self[..<fragment])
    }

    /// Whether this is an `https` or `wss` URL, decided from its bytes.
    package var isEncryptedURL: Bool {
        var text = self
        return text.withUTF8 { $0.begins(with: "https:") || $0.begins(with: "wss:") }
    }

    /// Whether this is an `http` URL of this machine, decided from its bytes; `false` is inconclusive.
    package var namesLoopback: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            for host in Self.loopbackHosts
            where bytes.starts(with: UnsafeBufferPointer(start: host.utf8Start, count: 16)) {
                // Only a port may precede the path: `@` or another character would make it another host.
                let end = bytes[16...].first { $0 != UInt8(ascii: ":") && !(0x30...0x39).contains($0) }
                let isPort = bytes.count == 16 || !(0x30...0x39).contains(bytes[16])
                return isPort && (end == nil || end == UInt8(ascii: "/"))
            }
            return false
        } ?? false
    }

    /// Each has sixteen bytes.
    private static let loopbackHosts: [StaticString] = ["http://127.0.0.1", "http://localhost"]
}

extension UnsafeBufferPointer<UInt8> {
    /// - Parameter text: in lower case; the bytes may be in either.
    @inline(__always)
    fileprivate func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index].asciiLowercased != text.utf8Start[index] {
            return false
        }
        return true
    }

    /// Returns the index after a text that begins at `start`; `nil` if it does not.
    @inline(__always)
    fileprivate func skip(_ text: String, from start: Int) -> Int? {
        let end = text.utf8.withContiguousStorageIfAvailable { text -> Int? in
            guard count &- start >= text.count else { return nil }
            var offset = 0
            while offset < text.count {
                guard text.count >= 8 else {
                    guard self[start &+ offset] == text[offset] else { return nil }
                    offset &+= 1
                    continue
                }
                // Compares eight bytes at a time; the last eight overlap with those before.
                let place = Swift.min(offset, text.count &- 8)
                let mine = UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: start &+ place, as: UInt64.self)
                let theirs = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: place, as: UInt64.self)
                guard mine == theirs else { return nil }
                offset &+= 8
            }
            return start &+ text.count
        }
        return end ?? nil
    }

    /// Returns the end of a run of bytes.
    @inline(__always)
    fileprivate func end(of start: Int, _ isPart: (UInt8) -> Bool) -> Int {
        var index = start
        while index < count, isPart(self[index]) { index &+= 1 }
        return index
    }

    /// Returns the port after the host, `.some(nil)` if there is none; `nil` if a parser is needed.
    fileprivate func port(from start: Int) -> Int?? {
        if isEndOfAuthority(start) { return .some(nil) }
        guard self[start] == UInt8(ascii: ":") else { return nil }
        let end = end(of: start + 1) { $0.isASCIIDigit }
        guard end > start + 1, end <= start + 6, isEndOfAuthority(end) else { return nil }
        let port = self[(start + 1)..<end].reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        guard port <= 65_535 else { return nil }
        return .some(port)
    }

    @inline(__always)
    fileprivate func isEndOfAuthority(_ index: Int) -> Bool {
        guard index < count else { return true }
        return self[index] == UInt8(ascii: "/") || self[index] == UInt8(ascii: "?") || self[index] == UInt8(ascii: "#")
    }

    /// Whether the range holds a lower-case text, in either case; `nil` if the text's bytes are not contiguous.
    fileprivate func holds(_ text: String, in range: Range<Int>) -> Bool? {
        text.utf8.withContiguousStorageIfAvailable { text in
            guard text.count == range.count else { return false }
            for offset in 0..<text.count where self[range.lowerBound &+ offset].asciiLowercased != text[offset] {
                return false
            }
            return true
        }
    }
}
