// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Removes the segments `.` and `..` of paths, which some clients do not send (RFC 3986 §6.2.2.3).
package enum DotSegments {
    /// - Parameter path: an absolute path, without query and fragment.
    /// - Returns: the path as RFC 3986 §5.2.4 computes it.
    package static func removed(from path: Substring) -> Substring {
        guard mayBe(in: path) else { return path }
        var kept: [Substring] = []
        // Bytes: a combining mark would hide the slash before it.
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        for (number, segment) in segments.enumerated() {
            guard segment == "." || segment == ".." else {
                kept.append(segment)
                continue
            }
            if segment == ".." { _ = kept.popLast() }
            if number == segments.count - 1 { kept.append("") }
        }
        return "/\(kept.joined(separator: "/"))"
    }

    /// Whether a dot begins a segment. Bytes, because comparing characters would take longer than all else.
    package static func mayBe(in path: Substring) -> Bool {
        var former: UInt8 = 0
        for byte in path.utf8 {
            if byte == UInt8(ascii: "."), former == UInt8(ascii: "/") { return true }
            former = byte
        }
        return false
    }

    /// Does the same for the path of a URL. A text without `://` stays as it is.
    package static func removed(fromURL url: String) -> String {
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
        guard let colon = url[..<end].utf8.firstIndex(of: UInt8(ascii: ":")),
            let authority = url.utf8.index(colon, offsetBy: 3, limitedBy: end), url[colon..<authority] == "://",
            let path = url[authority..<end].utf8.firstIndex(of: UInt8(ascii: "/"))
        else { return url }
        return "\(url[..<path])\(removed(from: url[path..<end]))\(url[end...])"
    }
}
