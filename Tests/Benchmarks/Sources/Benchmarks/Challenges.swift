// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import BenchmarkSupport
import RequestAuthorization

/// Whether reading `WWW-Authenticate` takes time in proportion to its length, whatever a server sends.
func compareChallenges() async throws -> [Comparison] {
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
    return shapes.map { shape in
        Comparison(
            "reading challenges, \(shape.name), per byte: 64 KiB / 4 KiB", shape.reader(kibibytes: 64, times: 5),
            against: shape.reader(kibibytes: 4, times: 32), bound: 2, rounds: 30)
    }
}

/// A value that a server could send: a beginning, and repetitions up to the length.
private struct Shape {
    let name: String
    let first: String
    let repeated: String

    init(_ name: String, _ first: String, _ repeated: String) {
        self.name = name
        self.first = first
        self.repeated = repeated
    }

    /// - Returns: a contender that reads the shape this often; its unit is 1 KiB.
    func reader(kibibytes: Int, times: Int) -> Contender {
        let text = text(bytes: kibibytes << 10)
        return Contender(times: times, units: Double(kibibytes)) { times in
            for _ in 0..<times { keep(AuthenticationChallenge.parse([text])) }
        }
    }

    private func text(bytes: Int) -> String {
        first + String(repeating: repeated, count: (bytes - first.utf8.count) / repeated.utf8.count)
    }
}
