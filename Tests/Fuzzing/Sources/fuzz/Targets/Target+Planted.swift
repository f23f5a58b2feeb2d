// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension Target {
    /// Targets with a fault, to prove that faults are found. `fuzz list` does not name them.
    static let planted: [Target] = [
        // Only counters of branches lead to the four bytes.
        Target("planted-trap", shapes: ["a"]) { input in
            guard input.count > 3, input[0] == 0x52, input[1] == 0x41, input[2] == 0x53, input[3] == 0x45 else {
                return
            }
            fatalError("the planted trap")
        },
        Target("planted-difference", shapes: ["a"]) { input in
            compare(input, ChallengeGrammar(keepsBackslashes: true))
        },
        Target("planted-quadratic", shapes: ["a"]) { input in
            var sum = 0
            for end in stride(from: 0, to: input.count, by: 4096) { sum = input[..<end].reduce(sum) { $0 &+ Int($1) } }
            // Never, but the compiler does not know that.
            claim(sum != Int.max - input.count, "the sum")
        },
    ]
}
