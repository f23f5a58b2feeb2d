// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthenticationChallenge {
    /// Parses the challenges of `WWW-Authenticate` lines, in order (RFC 9110 §11.6.1).
    ///
    ///     AuthenticationChallenge.parse([#"Basic realm="simple", Bearer realm="api", error="invalid_token""#])
    ///
    /// Lines are joined as a list, because servers may split them and clients may join them.
    ///
    /// A parameter that breaks the grammar is omitted; the others of its challenge, and other challenges, are kept. Such
    /// a challenge is ``isPartial``. Of two parameters of one name the first counts. A missing comma and a text in single
    /// quotes are understood.
    ///
    /// Parsing takes linear time and never traps. It reads the first 64 KiB of all lines together, at most 64
    /// challenges, and at most 64 parameters of each. What is beyond a limit is omitted.
    ///
    /// - Parameter lines: the values of the field, one element for each line; a line may hold several challenges.
    /// - Returns: the challenges in order; empty if there are none.
    public static func parse(_ lines: [String]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        var bytesLeft = ChallengeParser.maximumLength
        for line in lines {
            let bytes = Array(line.utf8.prefix(bytesLeft + 1))
            let isCut = bytes.count > bytesLeft
            parser.read(bytes.prefix(bytesLeft), isCut: isCut)
            if isCut { break }
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
        var isPartial = false
        /// A comma directly after the scheme has ended the challenge.
        var isComplete = false

        mutating func add(_ name: String, _ value: String) {
            // A parameter without a scheme, a second one of its name, or one too many.
            guard !isComplete, parameters[name] == nil, parameters.count < maximumParameters else {
                isPartial = true
                return
            }
            if token68 != nil { isPartial = true }
            parameters[name] = value
        }
    }

    /// Reads the bytes of one line.
    ///
    /// - Parameter isCut: whether the line goes on after these bytes.
    mutating func read<Bytes: RandomAccessCollection>(_ bytes: Bytes, isCut: Bool = false)
    where Bytes.Element == UInt8, Bytes.Index == Int {
        var scanner = FieldScanner(bytes, isCut: isCut)
        scanner.skipToMember()
        while !scanner.isAtEnd {
            if !readMember(&scanner) {
                noteFault()
                scanner.skipMember()
            }
            scanner.skipToMember()
        }
        if isCut { noteFault() }
    }

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
    /// - Returns: `false` if the rest of the member is neither.
    private mutating func readMember<Bytes>(_ scanner: inout FieldScanner<Bytes>) -> Bool {
        guard let name = scanner.token() else { return false }
        let hasBlanks = scanner.skipBlanks()
        if scanner.skip(UInt8(ascii: "=")) { return readParameters(from: name, &scanner) }
        // A scheme ends with a blank or with its member. Other text is the rest of a damaged value.
        guard hasBlanks || scanner.isAtEndOfMember else { return false }
        endCurrent()
        current = Draft(scheme: name)
        if scanner.isAtEndOfMember {
            // RFC 9110 §11.3: parameters follow a blank, and an empty list member may come before them.
            current?.isComplete = !hasBlanks || scanner.isAtEnd
            return true
        }
        if let token68 = scanner.token68() {
            current?.token68 = token68
            return true
        }
        guard let parameter = scanner.nextName() else { return false }
        return readParameters(from: parameter, &scanner)
    }

    /// Reads the value after the `=` of an `auth-param` (RFC 9110 §11.2), and more parameters if a comma is missing.
    private mutating func readParameters<Bytes>(from first: String, _ scanner: inout FieldScanner<Bytes>) -> Bool {
        var name: String? = first
        while let current = name {
            scanner.skipBlanks()
            let value = scanner.value()
            scanner.skipBlanks()
            let hasSeparator = scanner.skip(UInt8(ascii: ";"))
            if hasSeparator { scanner.skipBlanks() }
            let isAtEnd = scanner.isAtEndOfMember
            name = isAtEnd ? nil : scanner.nextName()
            if let value, value.isDelimited || hasSeparator || isAtEnd || name != nil { add(current, value.text) }
            if value?.isSound != true || hasSeparator || !isAtEnd { noteFault() }
            if isAtEnd { return true }
        }
        return false
    }

    private mutating func add(_ name: String, _ value: String) { current?.add(name.asciiLowercased, value) }

    /// Notes that a part of the last challenge begun cannot be read.
    private mutating func noteFault() { current?.isPartial = true }

    private mutating func endCurrent() {
        if let draft = current, challenges.count < Self.maximumChallenges {
            challenges.append(
                AuthenticationChallenge(
                    scheme: draft.scheme, token68: draft.token68, parameters: draft.parameters,
                    isPartial: draft.isPartial))
        }
        current = nil
    }
}
