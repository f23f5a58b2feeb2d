// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationOAuth

@testable import RequestAuthorizationOAuth

/// A platform that writes tokens into a file, as Kubernetes and Azure do. They are numbered, and nobody has signed them.
final class Platform: Sendable {
    let folder: URL
    private let number = Lock(0)
    private let writtenNumber = Lock(0)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "platform-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "token").path }
    var current: Int { number.withLock { $0 } }
    /// The number of the newest token that is there as a whole.
    var written: Int { writtenNumber.withLock { $0 } }

    /// A token in the form of a JWT.
    static func token(_ number: Int) -> String {
        let parts = [#"{"alg":"RS256"}"#, #"{"n":\#(number),"sub":"pod"}"#, String(repeating: "s", count: 256)]
        return parts.map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    }

    /// The number of a token; `nil` if it is none of this platform.
    static func number(of token: String) -> Int? {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]),
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(claims)),
            case .integer(let number)? = members["n"], self.token(Int(number)) == token
        else { return nil }
        return Int(number)
    }

    private func next() -> String {
        Self.token(
            number.withLock { number in
                number += 1
                return number
            })
    }

    /// Writes the next token into another file, which takes the place of the present one.
    @discardableResult
    func rename() throws -> String {
        let token = next()
        let new = folder.appending(path: "new-\(UUID().uuidString)")
        try Data(token.utf8).write(to: new)
        guard Foundation.rename(new.path, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        writtenNumber.withLock { $0 = current }
        return token
    }

    /// Empties the file, and writes the next token into it in pieces.
    func rewrite(between pause: () async throws -> Void = {}) async throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try await pause()
        let token = Array(next().utf8)
        for part in [token.prefix(20), token.dropFirst(20).prefix(200), token.dropFirst(220)] {
            try file.write(contentsOf: part)
            try await pause()
        }
        writtenNumber.withLock { $0 = current }
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
}

extension TokenRequest {
    /// The parameters of the form.
    var form: [String: String] { formParameters(text) }
}

/// The parameters of a form; those of a repeated name are joined with `AND`, to make the test fail.
func formParameters(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { pair in
        pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            String($0).replacing("+", with: " ").removingPercentEncoding ?? ""
        }
    }
    return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { "\($0) AND \($1)" }
}
