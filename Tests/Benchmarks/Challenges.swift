// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization

/// Whether reading `WWW-Authenticate` takes time in proportion to its length, whatever a server sends.
func measureChallenges() async throws -> [Figure] {
    let shapes = [
        Shape("many challenges", "", "Bearer realm=\"api\", "),
        Shape("many parameters", "Bearer a=b", ", name=value"),
        Shape("one quoted string", "Bearer realm=\"", "x"),
        Shape("escapes", "Bearer realm=\"", "\\\""),
        Shape("commas", "", ","),
        Shape("spaces", "Bearer ", " "),
        Shape("a token68", "Bearer ", "a"),
        Shape("words", "", "a "),
    ]
    var worst: Figure?
    for shape in shapes {
        let texts = [4, 64].map { kibibytes in shape.text(bytes: kibibytes << 10) }
        let contenders = texts.map { text in
            Contender { times in
                for _ in 0..<times { keep(AuthenticationChallenge.parse([text])) }
            }
        }
        let small = try await race([contenders[0]], times: 160, rounds: 7)[0] / 4
        let large = try await race([contenders[1]], times: 10, rounds: 7)[0] / 64
        let measurement = Figure(
            name: "reading challenges, per byte: 64 KiB / 4 KiB, the worst of \(shapes.count) shapes",
            value: large / small, bound: 2, detail: "\(shape.name): \(large.asTime) / \(small.asTime) per KiB")
        if measurement.value > worst?.value ?? 0 { worst = measurement }
    }
    return worst.map { [$0] } ?? []
}

/// What a server could send: a beginning and so many repetitions that it has the length.
private struct Shape {
    let name: String
    let first: String
    let repeated: String

    init(_ name: String, _ first: String, _ repeated: String) {
        self.name = name
        self.first = first
        self.repeated = repeated
    }

    func text(bytes: Int) -> String {
        first + String(repeating: repeated, count: (bytes - first.utf8.count) / repeated.utf8.count)
    }
}
