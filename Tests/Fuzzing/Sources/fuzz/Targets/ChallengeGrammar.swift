// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorization

/// A second reading of `WWW-Authenticate` (RFC 9110 §11.6.1), which shares no code with the library's parser.
///
/// It splits the field at its commas first, and then looks at each member. It accepts only what is in the grammar.
struct ChallengeGrammar {
    /// Whether a backslash stands for itself, which is wrong (RFC 9110 §5.6.4): to prove that a difference is found.
    var keepsBackslashes = false

    /// The challenges; `nil` if the field is not in the grammar, or beyond the limits of the parser.
    func challenges(of field: String) -> [AuthenticationChallenge]? {
        guard field.utf8.count <= 64 << 10, let members = members(Array(field.utf8)), !hasSingleQuotes(field) else {
            return nil
        }
        var found: [(scheme: String, token68: String?, parameters: [String: String], isOpen: Bool)] = []
        for member in members where !member.bytes.isEmpty {
            if let (name, value) = parameter(member.bytes) {
                guard let last = found.indices.last, found[last].isOpen, found[last].parameters[name] == nil else {
                    return nil
                }
                found[last].parameters[name] = value
                continue
            }
            let words = member.bytes.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
            guard isToken(words[0]) else { return nil }
            let scheme = String(decoding: words[0], as: UTF8.self)
            let rest = words.count == 2 ? Array(words[1].drop { $0 == 0x20 }) : []
            if rest.isEmpty {
                // Parameters follow a space only: without one the challenge ends here.
                found.append((scheme, nil, [:], member.endsInSpace && !member.isLast))
            } else if isToken68(rest) {
                found.append((scheme, String(decoding: rest, as: UTF8.self), [:], false))
            } else if let (name, value) = parameter(rest) {
                found.append((scheme, nil, [name: value], true))
            } else {
                return nil
            }
        }
        guard found.count <= 64, found.allSatisfy({ $0.parameters.count <= 64 }) else { return nil }
        return found.map { AuthenticationChallenge(scheme: $0.scheme, token68: $0.token68, parameters: $0.parameters) }
    }

    // MARK: -

    /// Whether a value begins with a single quote. To the grammar it is a token, to the library perhaps a text in quotes.
    private func hasSingleQuotes(_ field: String) -> Bool {
        field.utf8.filter { $0 != 0x20 && $0 != 0x09 }.reduce((false, UInt8(0))) { found, byte in
            (found.0 || found.1 == UInt8(ascii: "=") && byte == UInt8(ascii: "'"), byte)
        }.0
    }

    private struct Member {
        var bytes: [UInt8]
        var endsInSpace: Bool
        var isLast: Bool
    }

    /// The members without the blanks around them; `nil` if a quoted string does not end.
    private func members(_ field: [UInt8]) -> [Member]? {
        var members: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in field {
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append([])
                continue
            }
            members[members.count - 1].append(byte)
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte
                == UInt8(ascii: "\"")
            {
                isQuoted.toggle()
            }
        }
        guard !isQuoted else { return nil }
        return members.enumerated().map { number, bytes in
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
            let begin = Array(bytes.drop(while: isBlank))
            let end = begin.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
            return Member(
                bytes: Array(begin[..<end]), endsInSpace: end < begin.count, isLast: number == members.count - 1)
        }
    }

    /// `token BWS "=" BWS ( token / quoted-string )` (RFC 9110 §11.2).
    private func parameter(_ bytes: [UInt8]) -> (String, String)? {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let left = bytes[..<equals]
        let name = left[..<(left.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? left.startIndex)]
        let value = Array(bytes[(equals + 1)...].drop(while: isBlank))
        guard isToken(name) else { return nil }
        let key = String(decoding: name, as: UTF8.self).lowercased()
        if isToken(value[...]) { return (key, String(decoding: value, as: UTF8.self)) }
        guard value.count > 1, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") else { return nil }
        return content(Array(value.dropFirst().dropLast())).map { (key, $0) }
    }

    /// The content of a quoted string (RFC 9110 §5.6.4).
    private func content(_ quoted: [UInt8]) -> String? {
        var content: [UInt8] = []
        var isEscaped = false
        for byte in quoted {
            guard byte == 0x09 || byte >= 0x20, byte != 0x7F else { return nil }
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
                if keepsBackslashes { content.append(byte) }
                continue
            }
            guard isEscaped || byte != UInt8(ascii: "\"") else { return nil }
            content.append(byte)
            isEscaped = false
        }
        return isEscaped ? nil : String(decoding: content, as: UTF8.self)
    }

    private func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    private func isToken68(_ bytes: [UInt8]) -> Bool {
        let digits = bytes[..<(bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex)]
        return !digits.isEmpty && digits.allSatisfy { isAlphanumeric($0) || "-._~+/".utf8.contains($0) }
            && bytes[digits.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
    }

    private func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
