// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthenticationChallenge {
    /// Parses the challenges of `WWW-Authenticate` lines, in order (RFC 9110 §11.6.1).
    ///
    ///     AuthenticationChallenge.parse([#"Basic realm="simple", Bearer realm="api", error="invalid_token""#])
    ///
    /// Lines are joined as a list, because servers may split them and clients may join them. A challenge that breaks
    /// the grammar is omitted: an unclosed quoted string, a repeated parameter, a token68 beside parameters, a control
    /// character. The others stay.
    ///
    /// Parsing takes linear time and never traps. It reads the first 64 KiB of all lines together, at most 64
    /// challenges, and at most 64 parameters of each. A challenge beyond a limit is omitted.
    ///
    /// - Parameter lines: the values of the field, one element for each line; a line may hold several challenges.
    /// - Returns: the valid challenges in order; empty if there are none.
    public static func parse(_ lines: [String]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        var bytesLeft = ChallengeParser.maximumLength
        for line in lines {
            let bytes = Array(line.utf8.prefix(bytesLeft + 1))
            parser.read(bytes.prefix(bytesLeft))
            if bytes.count > bytesLeft {
                parser.rejectCurrent()  // Its end is unknown.
                break
            }
            bytesLeft -= bytes.count
        }
        return parser.finish()
    }
}

/// Builds challenges from list members: a scheme begins a challenge, and parameters belong to the last one begun.
struct ChallengeParser {
    static let maximumLength = 64 << 10
    static let maximumChallenges = 64
    static let maximumParameters = 64

    private var challenges: [AuthenticationChallenge] = []
    private var current: Draft?

    private struct Draft {
        let scheme: String
        var token68: String?
        var parameters: [String: String] = [:]
        var isRejected = false
        /// A comma directly after the scheme has ended the challenge.
        var isComplete = false

        /// - Returns: `false` if the parameter cannot belong to this challenge.
        mutating func add(_ name: String, _ value: String) -> Bool {
            if isComplete { return true }  // A parameter without a scheme.
            guard token68 == nil, parameters[name] == nil, parameters.count < maximumParameters else { return false }
            parameters[name] = value
            return true
        }
    }

    mutating func read<Bytes: RandomAccessCollection>(_ bytes: Bytes)
    where Bytes.Element == UInt8, Bytes.Index == Int {
        var scanner = FieldScanner(bytes)
        while true {
            scanner.skipToMember()
            if scanner.isAtEnd { return }
            if !readMember(&scanner) || !scanner.isAtEndOfMember {
                rejectCurrent()
                scanner.skipMember()
            }
        }
    }

    /// Omits the last challenge begun.
    mutating func rejectCurrent() { current?.isRejected = true }

    /// Ends the last challenge and returns all of them.
    mutating func finish() -> [AuthenticationChallenge] {
        endCurrent()
        return challenges
    }
}

// MARK: - Members of the list

extension ChallengeParser {
    /// Reads an `auth-param`, or an `auth-scheme` with what follows it up to the next comma (RFC 9110 §11.3).
    ///
    /// - Returns: `false` if it is neither.
    private mutating func readMember<Bytes>(_ scanner: inout FieldScanner<Bytes>) -> Bool {
        guard let name = scanner.token() else { return false }
        let hasBlanks = scanner.skipBlanks()
        if scanner.skip(UInt8(ascii: "=")) { return readValue(of: name, &scanner) }
        endCurrent()
        current = Draft(scheme: name)
        if scanner.isAtEndOfMember {
            // RFC 9110 §11.3: parameters follow a blank, and an empty list member may come before them.
            current?.isComplete = !hasBlanks || scanner.isAtEnd
            return true
        }
        guard hasBlanks else { return false }
        if let token68 = scanner.token68() {
            current?.token68 = token68
            return true
        }
        guard let parameter = scanner.token() else { return false }
        scanner.skipBlanks()
        return scanner.skip(UInt8(ascii: "=")) && readValue(of: parameter, &scanner)
    }

    /// Reads the value after the `=` of an `auth-param` (RFC 9110 §11.2).
    private mutating func readValue<Bytes>(of name: String, _ scanner: inout FieldScanner<Bytes>) -> Bool {
        scanner.skipBlanks()
        let value = scanner.isAt(UInt8(ascii: "\"")) ? scanner.quotedString() : scanner.token()
        scanner.skipBlanks()
        guard let value else { return false }
        return current?.add(name.asciiLowercased, value) ?? true
    }

    private mutating func endCurrent() {
        if let draft = current, !draft.isRejected, challenges.count < Self.maximumChallenges {
            challenges.append(
                AuthenticationChallenge(scheme: draft.scheme, token68: draft.token68, parameters: draft.parameters))
        }
        current = nil
    }
}
