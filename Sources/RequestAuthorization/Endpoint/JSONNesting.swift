// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Limits the nesting depth of the JSON in a server's answer.
package enum JSONNesting {
    /// The limit (RFC 8259 §9). No real answer reaches half of it. Each level costs `JSONDecoder` more time: a kilobyte
    /// of brackets would take seconds.
    private static let deepest = 16

    /// Whether `JSONDecoder` may read a body, or the value of a member.
    package static func isReadable(_ json: some Sequence<UInt8>) -> Bool { depth(of: json) <= deepest }

    /// The depth, counted from the brackets; `.max` if the JSON is not UTF-8 (RFC 8259 §8.1). `JSONDecoder` would read
    /// UTF-16, in which other characters look like brackets and quotes.
    private static func depth(of json: some Sequence<UInt8>) -> Int {
        var (depth, deepest) = (0, 0)
        var (isInText, isEscaped) = (false, false)
        for byte in json {
            switch byte {
            case 0: return .max
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInText
            case UInt8(ascii: "\""): isInText.toggle()
            case _ where isInText: break
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}
