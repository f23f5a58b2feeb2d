// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How deep the JSON of a server's answer nests.
package enum JSONNesting {
    /// How deep an answer may nest (RFC 8259 §9). No real answer goes half as deep, and each further level costs `JSONDecoder`
    /// more: a kilobyte of brackets would take it seconds.
    private static let deepest = 16

    /// Whether a body may be given to `JSONDecoder`.
    package static func isReadable(_ body: [UInt8]) -> Bool { depth(of: body) <= deepest }

    /// The depth, read from the brackets. It is more than any limit for what is not UTF-8 (RFC 8259 §8.1): `JSONDecoder` would
    /// read UTF-16, in which other characters look like brackets and quotes.
    private static func depth(of body: [UInt8]) -> Int {
        var (depth, deepest) = (0, 0)
        var (isInText, isEscaped) = (false, false)
        for byte in body {
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
