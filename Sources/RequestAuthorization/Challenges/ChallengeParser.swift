// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthenticationChallenge {
    /// Reads the challenges of `WWW-Authenticate` lines, in order (RFC 9110 §11.6.1).
    ///
    ///     AuthenticationChallenge.parse([#"Basic realm="simple", Bearer realm="api", error="invalid_token""#])
    ///
    /// Lines are joined as a list, as servers may split and clients may join them. A challenge that breaks the grammar is
    /// left out: with an unclosed quoted string, a parameter given twice, a token68 beside parameters, a control character.
    /// The others stay. Takes linear time and never traps, whatever the text; of all lines together the first 64 KiB
    /// are read, of a challenge at most 64 parameters, and at most 64 challenges; one that goes beyond is left out.
    ///
    /// - Parameter lines: the values of the field, one element a line, also several challenges in one.
    /// - Returns: the challenges in order; empty if there are none that can be understood.
    public static func parse(_ lines: [String]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        var bytesLeft = ChallengeParser.maximumLength
        for line in lines {
            let bytes = Array(line.utf8.prefix(bytesLeft + 1))
            parser.read(bytes.prefix(bytesLeft))
            if bytes.count > bytesLeft {
                parser.rejectCurrent()  // Nobody knows how it would have gone on.
                break
            }
            bytesLeft -= bytes.count
        }
        return parser.finish()
    }
}

/// Puts challenges together from the members of a list: schemes begin one, parameters belong to the last one begun.
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
        /// A comma right behind the scheme ended it.
        var isComplete = false

        /// - Returns: `false` if the parameter cannot belong to this challenge.
        mutating func add(_ name: String, _ value: String) -> Bool {
            if isComplete { return true }  // A parameter of no scheme.
            guard token68 == nil, parameters[name] == nil, parameters.count < maximumParameters else { return false }
            parameters[name] = value
            return true
        }
    }

    /// Reads one line.
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

    /// Leaves out the challenge that was begun last.
    mutating func rejectCurrent() { current?.isRejected = true }

    /// Ends the last challenge.
    mutating func finish() -> [AuthenticationChallenge] {
        endCurrent()
        return challenges
    }
}

// MARK: - Members of the list

extension ChallengeParser {
    /// `auth-param`, or `auth-scheme` and what follows it up to the next comma (RFC 9110 §11.3).
    ///
    /// - Returns: `false` if it is neither.
    private mutating func readMember<Bytes>(_ scanner: inout FieldScanner<Bytes>) -> Bool {
        guard let name = scanner.token() else { return false }
        let hasBlanks = scanner.skipBlanks()
        if scanner.skip(UInt8(ascii: "=")) { return readValue(of: name, &scanner) }
        endCurrent()
        current = Draft(scheme: name)
        if scanner.isAtEndOfMember {
            // RFC 9110 §11.3: parameters follow after a blank, and an empty list member may come before them.
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

    /// What follows the `=` of an `auth-param` (RFC 9110 §11.2).
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
