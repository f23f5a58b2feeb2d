// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

@testable import RequestAuthorization

extension Target {
    private static let headerShapes = [
        "Bearer a=b, ", "\"", "\\", "a=\"\\", "=", ",", "a ", "a=b ", "a=b;", "'", "a='b' ", "Bearer a=\"", "Basic , ",
        "a\", ", "\"a\" ", "b=\"c\"d, ",
    ]

    /// The limits of the parser, and a second parse of what the first one printed.
    static let challenges = Target("challenges", shapes: headerShapes) { input in
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0).text }
        let found = AuthenticationChallenge.parse(lines)
        claim(found.count <= 64 && found.allSatisfy { $0.parameters.count <= 64 }, "too many parts")
        for challenge in found {
            _ = (challenge.scope, challenge.claims, challenge.maxAge, challenge.acrValues, challenge.resourceMetadata)
            claim(challenge.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{7F}" }, "controls")
            claim(challenge.parameters.keys.allSatisfy { $0 == $0.lowercased() }, "a name in upper case")
        }
    }

    /// Two readings of the grammar agree where a field is in the grammar.
    static let challengeGrammar = Target("challenge-grammar", shapes: headerShapes) { input in
        compare(input, ChallengeGrammar())
    }

    static func compare(_ input: [UInt8], _ grammar: ChallengeGrammar) {
        guard let expected = grammar.challenges(of: input.text) else { return }
        let found = AuthenticationChallenge.parse([input.text])
        claim(found == expected, "\(expected.count) challenges by the grammar, \(found.count) found, or other values")
    }
}
