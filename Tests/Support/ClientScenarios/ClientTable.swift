// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The clients, in the order of the table.
package enum ClientName: String, CaseIterable, Codable, Sendable {
    case urlSession = "URLSession"
    case urlSessionHTTPTypes = "URLSession, HTTPRequest"
    case asyncHTTPClient = "AsyncHTTPClient"
    case asyncHTTPClientWithoutRedirects = "AsyncHTTPClient, redirects off"
    case anyClient = "any client, by `send`"
    case gRPC = "gRPC"
}

/// The result of a scenario with a client.
package enum Outcome: Sendable {
    case passed
    /// The client lacks a capability that the scenario needs. The reason is a footnote of the table.
    case notApplicable(_ reason: String)
}

/// Records the results for `.ci/check-client-table`, which makes `Documentation/Clients.md` from them.
package enum ClientTable {
    /// Adds a cell to the file in the environment variable `CLIENT_OUTCOMES`, one JSON object per line. Without the
    /// variable it does nothing.
    ///
    /// A missing cell fails the check, and so does a failed test.
    package static func record(_ scenario: Scenario, _ client: ClientName, _ outcome: Outcome) throws {
        guard let path = ProcessInfo.processInfo.environment["CLIENT_OUTCOMES"] else { return }
        var cell = Cell(scenario: scenario, client: client)
        if case .notApplicable(let reason) = outcome { cell.reason = reason }
        try append(JSONEncoder().encode(cell) + Data("\n".utf8), to: path)
    }

    /// The places give the order of the table. The counts show whether a cell is missing.
    private struct Cell: Encodable {
        let group: String
        let scenario: String
        let scenarioPlace: Int
        let scenarios = Scenario.allCases.count
        let client: String
        let clientPlace: Int
        let clients = ClientName.allCases.count
        var reason: String?

        init(scenario: Scenario, client: ClientName) {
            group = scenario.group
            (self.scenario, self.client) = (scenario.rawValue, client.rawValue)
            scenarioPlace = Scenario.allCases.firstIndex(of: scenario) ?? 0
            clientPlace = ClientName.allCases.firstIndex(of: client) ?? 0
        }
    }

    /// Appends a line in one write, so that lines of several processes do not mix.
    private static func append(_ line: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        let written = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
