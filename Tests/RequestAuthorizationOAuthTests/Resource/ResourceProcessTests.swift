// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
import LoopbackServer
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationURLSession
import StoreFixtures
import Testing

@testable import RequestAuthorizationOAuth

/// Programs of one user that know nothing and call the same resource.
@Suite(.timeLimit(.minutes(10))) struct ResourceProcessTests {
    private func inFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "resource-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    @Test func `20 cold processes: one page, one registration, one code`() async throws {
        try await inFolder { folder in
            try await GuardedServer.run { (guarded, server) async throws in
                let processes = try (0..<20).map { _ in
                    try SecondProcess("resource", "\(server.base)/mcp", "go", folder)
                }
                var lines: [String] = []
                for process in processes {
                    var line = try await process.line()
                    if line == "asked" { lines.append(line); line = try await process.line() }
                    lines.append(line)
                }
                #expect(lines.filter { $0 == "asked" }.count == 1)
                #expect(lines.filter { $0 == "t1" }.count == 20, "\(Set(lines))")
                let now = guarded.now
                #expect(now.pages.count == 1 && now.registrations.count == 1 && now.forms.count == 1)
                #expect(now.calls.allSatisfy { ["", "t1"].contains($0) })
            }
        }
    }

    @Test func `the one that asks is killed: the next one asks, and the others wait for it`() async throws {
        try await inFolder { folder in
            try await GuardedServer.run { (guarded, server) async throws in
                let first = try SecondProcess("resource", "\(server.base)/mcp", "hold", folder)
                #expect(try await first.line() == "asked")
                let second = try SecondProcess("resource", "\(server.base)/mcp", "hold", folder)
                // Its request has been refused, so it waits.
                await server.waitForRequests(4)
                first.kill()
                #expect(try await second.line() == "asked")
                let third = try SecondProcess("resource", "\(server.base)/mcp", "hold", folder)
                try second.say("yes")
                #expect(try await second.line() == "t1")
                #expect(try await third.line() == "t1")
                #expect(guarded.now.pages.count == 1 && guarded.now.registrations.count == 1)
            }
        }
    }

    @Test func `who asks is told while it asks, and not after its end`() async throws {
        try await inFolder { folder in
            try await GuardedServer.run { (guarded, server) async throws in
                let auth = ProtectedResourceAuthorization(
                    "\(server.base)/mcp", client: ClientIdentity(name: "Tool"),
                    records: .items(NamedFiles(client: "tool", folder: .at(folder))), transport: .patient)
                #expect(try await auth.signInUnderWay() == nil)
                let began = Date.now
                let first = try SecondProcess("resource", "\(server.base)/mcp", "hold", folder)
                #expect(try await first.line() == "asked")
                let one = try #require(try await auth.signInUnderWay())
                #expect((began.addingTimeInterval(-1)...Date.now).contains(one.since))
                first.kill()
                let second = try SecondProcess("resource", "\(server.base)/mcp", "hold", folder)
                #expect(try await second.line() == "asked")
                let other = try #require(try await auth.signInUnderWay())
                #expect(other.process != one.process && other.since >= one.since)
                try second.say("yes")
                #expect(try await second.line() == "t1")
                #expect(try await auth.signInUnderWay() == nil)
            }
        }
    }

    @Test func `the records are readable for their owner only`() async throws {
        try await inFolder { folder in
            try await GuardedServer.run { (guarded, server) async throws in
                let process = try SecondProcess("resource", "\(server.base)/mcp", "go", folder)
                #expect(try await [process.line(), process.line()] == ["asked", "t1"])
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(names.contains { $0.hasSuffix(".token") })
                for name in names {
                    let values = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                    #expect((values[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(name)")
                }
            }
        }
    }
}
#endif
