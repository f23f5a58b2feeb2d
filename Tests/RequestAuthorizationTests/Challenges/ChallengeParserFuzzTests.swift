// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Testing

@testable import RequestAuthorization

struct ChallengeParserFuzzTests {
    /// Bytes with a meaning for the parser, and some without one.
    private static let alphabet =
        Array("AbZ09-~+/=== ,,,\"\"\"\\\\  \t\r\n\0;:'(\u{7F}\u{E4}".utf8) + [0xFF, 0xC3, 0x80]

    @Test(arguments: 0..<4)
    func `random bytes give challenges that a server could have sent`(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        for _ in 0..<75_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)]
            }
            let challenges = parse(bytes)
            if challenges.isEmpty { continue }
            let text = challenges.map(written).joined(separator: ", ")
            let expected = challenges.map { Self.challenge($0, isPartial: $0.token68 != nil && !$0.parameters.isEmpty) }
            #expect(AuthenticationChallenge.parse([text]) == expected, "\(bytes)")
        }
    }

    @Test(arguments: 0..<4)
    func `a value written by the grammar is read back, however it is spaced, quoted and split`(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        for _ in 0..<2_000 {
            let challenges = (0..<Int.random(in: 0...4, using: &random)).map { _ in Self.challenge(&random) }
            var lines = [""]
            for text in challenges.flatMap({ Self.members(of: $0, &random) }) {
                let separator = [",", ", ", " ,\t", ",, ,"].randomElement(using: &random) ?? ","
                if Bool.random(using: &random) { lines.append("") }
                lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : separator) + text
            }
            #expect(AuthenticationChallenge.parse(lines) == challenges, "\(lines)")
        }
    }

    @Test(arguments: [
        "\"", "\\", "=", ",", " ", "a", "a ", "a=", "a =", "a=\"", "a=\"\\", "a b=\"c\",", "a b,", "a b=c d,", "=\"",
        "a b=", "a\t", "\"a,", "a /=", "a b=\"c\" ", "\u{0}", "\u{FC}", "'", "a='", "a=' ", "a='b ,", "a=\"b\"c,",
        "a=\"\\\",",
        "\"\\", "\\\"", "a=\"b ", "a=\"\\\"", "a=b c=d ", ";", "a=b;", "a=\"x, b=", "a=\"'\",", "a='\"',", "'\"",
        "a=',\"",
        "a=\",'", "a=b c ", "\\,\"", "a=\"\\,",
    ])
    func `each byte is read a constant number of times`(pattern: String) {
        for (size, endings) in [(64_000, [""]), (1_000, ["", "\"", "\"x", "'", "'x"])] {
            let bytes = Array(String(repeating: pattern, count: size / pattern.utf8.count).utf8)
            for ending in endings { #expect(Self.reads(of: bytes + Array(ending.utf8)) <= 16) }
        }
    }

    @Test(arguments: 0..<4) func `random patterns are read in linear time`(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        let alphabet = Array("ab=,\"'\\ ;\u{1}".utf8)
        for _ in 0..<1_000 {
            let pattern = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            let bytes = Array((0..<500 / pattern.count).map { _ in pattern }.joined())
            #expect(Self.reads(of: bytes) <= 16, "\(String(decoding: pattern, as: UTF8.self))")
        }
    }

    @Test func `no more than 64 KiB is read, and the challenge that is cut is partial`() {
        let filler = "A b=\"" + String(repeating: "x", count: (64 << 10) - 11) + "\", "
        func found(_ lines: String...) -> [String] {
            AuthenticationChallenge.parse(lines).map {
                "\($0.scheme) \($0.token68 ?? "") \($0.parameters.count)" + ($0.isPartial ? " partial" : "")
            }
        }
        #expect(found(filler + "C d=e") == ["A  1", "C  0 partial"])
        #expect(found(filler + "C d") == ["A  1", "C d 0"], "fits")
        #expect(found(filler, "C d=e", "F") == ["A  1", "C  0 partial"])
        #expect(found(filler, "", "C", "de") == ["A  1", "C  0", "de  0"])
        #expect(found(filler, "", "C", "de", "", "f") == ["A  1", "C  0", "de  0 partial"])
        #expect(found(filler + "Long") == ["A  1 partial"], "half a scheme is none")
        let endless = Array(repeating: "A", count: 1_000_000)
        #expect(AuthenticationChallenge.parse(endless).count == ChallengeParser.maximumChallenges)
    }

    @Test func `a challenge has at most 64 parameters, and there are at most 64`() {
        let parameters = (0..<65).map { "p\($0)=v" }
        let whole = AuthenticationChallenge.parse(["A " + parameters.dropLast().joined(separator: ",")])
        #expect(whole.map(\.parameters.count) == [64] && whole.allSatisfy { !$0.isPartial })
        let cut = AuthenticationChallenge.parse(["A " + parameters.joined(separator: ",") + ", B"])
        #expect(cut.map(\.isPartial) == [true, false] && cut.first?.parameters == whole.first?.parameters)
        let schemes = (0..<100).map { "S\($0)" }
        #expect(
            AuthenticationChallenge.parse([schemes.joined(separator: ",")]).map(\.scheme) == Array(schemes.prefix(64)))
    }

    private func parse(_ bytes: [UInt8]) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        parser.read(bytes)
        return parser.finish()
    }

    private func written(_ challenge: AuthenticationChallenge) -> String {
        let parameters = challenge.parameters.map { "\($0)=\(Self.quoted($1))" }.joined(separator: ", ")
        return "\(challenge.scheme) \([challenge.token68, parameters].compactMap(\.self).joined(separator: ", "))"
    }
}

// MARK: - Damage

extension ChallengeParserFuzzTests {
    /// Lines by the grammar in which a few bytes are replaced, removed or added.
    @Test(arguments: 0..<10)
    func `what stands before the damage is kept`(seed: Int) {
        var random = Seeded(seed: UInt64(seed))
        for _ in 0..<10_000 {
            let challenges = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.challenge(&random) }
            let members = challenges.flatMap { Self.members(of: $0, &random) }
            let damaged = Int.random(in: 0..<members.count, using: &random)
            let head = members[..<damaged].map { $0 + ", " }.joined()
            var tail = Array(members[damaged...].joined(separator: ", ").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.damage(&tail, &random) }
            let (before, found) = (parse(Array(head.utf8)), parse(Array(head.utf8) + tail))
            #expect(found.count >= before.count)
            for (old, new) in zip(before, found) {
                #expect(old.scheme == new.scheme && old.token68 == new.token68)
                #expect(old.parameters.allSatisfy { new.parameters[$0] == $1 }, "\(head) \(tail)")
            }
            // All but the last have ended before the damage.
            #expect(before.dropLast() == found.prefix(max(0, before.count - 1)))
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout Seeded) {
        let position = Int.random(in: 0...bytes.count, using: &random)
        let count = Int.random(in: 0...min(3, bytes.count - position), using: &random)
        let new = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }
        bytes.replaceSubrange(position..<position + count, with: new)
    }

    /// How often each byte is read on average.
    private static func reads(of bytes: [UInt8]) -> Int {
        let counting = CountingBytes(bytes)
        var parser = ChallengeParser()
        parser.read(counting)
        return counting.reads.count / max(1, bytes.count)
    }

    private static func challenge(_ other: AuthenticationChallenge, isPartial: Bool) -> AuthenticationChallenge {
        AuthenticationChallenge(
            scheme: other.scheme, token68: other.token68, parameters: other.parameters, isPartial: isPartial)
    }
}

// MARK: - Support

extension ChallengeParserFuzzTests {
    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }

    private static func challenge(_ random: inout Seeded) -> AuthenticationChallenge {
        let scheme = text(of: "AbZ0!#$%&'*+-.^_`|~", 1...6, &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
            let padding = String(repeating: "=", count: Int.random(in: 0...2, using: &random))
            return .make(scheme, token68: text(of: "aZ09-._~+/", 1...9, &random) + padding)
        }
        let parameters = (0..<Int.random(in: 0...4, using: &random)).map { number in
            ("p\(number)" + text(of: "az!*", 0...2, &random), text(of: "aZ 0,=\"\\/\t\u{FC};", 0...9, &random))
        }
        return .make(scheme, Dictionary(uniqueKeysWithValues: parameters))
    }

    /// The list members that write a challenge; a line may begin with each.
    private static func members(
        of challenge: AuthenticationChallenge, _ random: inout Seeded
    ) -> [String] {
        if let token68 = challenge.token68 { return ["\(challenge.scheme) \(token68)"] }
        let blanks = ["", " ", "\t "]
        let parameters = challenge.parameters.map { name, value in
            let isToken = !value.isEmpty && value.utf8.allSatisfy(\.isTokenCharacter)
            let written = isToken && Bool.random(using: &random) ? value : quoted(value)
            let name = Bool.random(using: &random) ? name.uppercased() : name
            return name + (blanks.randomElement(using: &random) ?? "") + "="
                + (blanks.randomElement(using: &random) ?? "") + written
        }
        guard let first = parameters.first else { return [challenge.scheme] }
        return ["\(challenge.scheme)  \(first)"] + parameters.dropFirst()
    }

    private static func text(
        of characters: String, _ count: ClosedRange<Int>, _ random: inout Seeded
    ) -> String {
        String((0..<Int.random(in: count, using: &random)).compactMap { _ in characters.randomElement(using: &random) })
    }
}
