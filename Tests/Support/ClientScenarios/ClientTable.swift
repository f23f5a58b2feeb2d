// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The clients of the table, in its order.
package enum ClientName: String, CaseIterable, Codable, Sendable {
    case urlSession = "URLSession"
    case urlSessionHTTPTypes = "URLSession, HTTPRequest"
    case asyncHTTPClient = "AsyncHTTPClient"
    case asyncHTTPClientWithoutRedirects = "AsyncHTTPClient, redirects off"
    case anyClient = "any client, by `send`"
    case gRPC = "gRPC"
}

/// How a scenario went with a client.
package enum Outcome: Sendable {
    case passed
    /// The client lacks what the scenario is about; the reason is a footnote of the table.
    case notApplicable(_ reason: String)
}

/// Keeps what the tests saw, for `.ci/check-client-table`, which makes `Documentation/Clients.md` of it.
package enum ClientTable {
    /// Adds a cell to the file that the environment variable `CLIENT_OUTCOMES` names, one JSON object a line; does nothing
    /// without it.
    ///
    /// A cell that is missing fails the check, and so does any test that fails.
    package static func record(_ scenario: Scenario, _ client: ClientName, _ outcome: Outcome) throws {
        guard let path = ProcessInfo.processInfo.environment["CLIENT_OUTCOMES"] else { return }
        var cell = Cell(scenario: scenario, client: client)
        if case .notApplicable(let reason) = outcome { cell.reason = reason }
        let line = try JSONEncoder().encode(cell) + Data("\n".utf8)
        try append(line, to: path)
    }

    /// The places tell the script the order, and the counts whether a cell is missing.
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
            self.scenario = scenario.rawValue
            scenarioPlace = Scenario.allCases.firstIndex(of: scenario) ?? 0
            self.client = client.rawValue
            clientPlace = ClientName.allCases.firstIndex(of: client) ?? 0
        }
    }

    /// In one write, so that lines of several processes do not mix.
    private static func append(_ line: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        let written = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
