// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A scenario whose servers listen.
public struct ScenarioRun: Sendable {
    public let context: ScenarioContext
    /// The URL of the MCP endpoint.
    public let url: URL
    /// The requests that a client sends, in order. The run's verdict wants all of them.
    public let calls: [MCPCall]
    let stage: Stage

    /// Ends the fault of the metadata, in ``Scenario/Variant/earlierSession``.
    public func heal() async { await stage.heal() }

    /// Adds a line to the verdict's log.
    public func log(_ line: String) async { await stage.note(line) }

    /// Sends the scenario's calls one after the other, until one does not end as expected.
    ///
    /// - Parameters:
    ///   - healing: is called when the fault of the metadata has ended, for instance to advance a clock.
    ///   - send: sends a request with the client under test, and returns the last response.
    /// - Throws: the error of a call that had to be answered.
    public func performCalls(
        healing: () async throws -> Void = {},
        _ send: (URLRequest) async throws -> (Data, URLResponse)
    ) async throws {
        for call in calls {
            if call.comesAfterHealing {
                await heal()
                try await healing()
            }
            do {
                let (_, response) = try await send(call.request)
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                await stage.note("client: \(call.method) ended with \(status)")
                if call.expected == .answered, status / 100 != 2 { throw UnexpectedStatus(call.method, status) }
            } catch  where call.expected != .answered {
                await stage.note("client: \(call.method) failed with \(error)")
            }
        }
    }

    struct UnexpectedStatus: Error, CustomStringConvertible {
        let description: String

        init(_ method: String, _ status: Int) { description = "\(method) was answered with \(status)" }
    }
}

extension Scenario {
    /// Runs the servers on loopback while a client is at work, and judges it.
    ///
    /// - Parameters:
    ///   - version: the version of the protocol.
    ///   - variant: one of ``variants``.
    ///   - redirectURI: the one that the client of an ``EarlierSession`` is registered with.
    ///   - client: the client's work. What it throws is a failure where it had to get in.
    /// - Returns: what the client did wrong.
    /// - Throws: the reason why the servers cannot listen.
    public func run(
        at version: WireVersion, as variant: Variant = .plain,
        redirectURI: String = "http://127.0.0.1:49152/callback", _ client: (ScenarioRun) async throws -> Void
    ) async throws -> Verdict {
        let stage = Stage(self, version, variant)
        return try await serve(roles[...], on: stage) { bases in
            let context = try await stage.open(bases, redirectURI: redirectURI)
            guard let url = URL(string: context.serverURL) else { throw URLError(.badURL) }
            let run = ScenarioRun(
                context: context, url: url, calls: calls(at: url, version, variant), stage: stage)
            do {
                try await client(run)
                return await stage.verdict(of: nil)
            } catch {
                return await stage.verdict(of: "\(error)")
            }
        }
    }
}
#endif
