// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if PostgreSQL && canImport(Glibc)
import Foundation
import RequestAuthorizationPostgreSQL
import TestServers

/// A driver other than libpq: the program `psql`, once for each statement.
struct CommandDatabase: PostgreSQLDatabase {
    let connection: String

    func query(_ statement: String, parameters: [String?]) async throws -> [[String?]] {
        var text = statement
        var variables: [String] = []
        // `psql` quotes its variables itself. The last ones first, because `$1` begins `$10`.
        for (number, parameter) in parameters.enumerated().reversed() {
            text = text.replacingOccurrences(of: "$\(number + 1)", with: parameter == nil ? "NULL" : ":'p\(number)'")
            if let parameter { variables += ["-v", "p\(number)=\(parameter)"] }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sql")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            let output = try await Command.run(
                ["psql", connection, "-qAtX", "-F", "\u{1f}", "-P", "null=\u{1e}", "-v", "ON_ERROR_STOP=1"]
                    + ["-v", "VERBOSITY=sqlstate"] + variables + ["-f", file.path],
                environment: ["PGOPTIONS": "-c client_min_messages=warning"])
            return output.split(separator: "\n").map { row in
                row.split(separator: "\u{1f}", omittingEmptySubsequences: false).map {
                    $0 == "\u{1e}" ? nil : String($0)
                }
            }
        } catch let failure as Command.Failure {
            let state = failure.text.firstMatch(of: /ERROR: +([0-9A-Z]{5})/).map { String($0.1) }
            throw PostgreSQLError(state == nil ? .unreachable : .refused, sqlState: state)
        }
    }
}
#endif
