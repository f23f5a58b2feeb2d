// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full && os(Linux)
import ClientScenarios
import Foundation
import RequestAuthorizationGRPC
import RequestAuthorizationTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct LeakTests {
    @Test(.shows(.manyRequestsLeaveNothing)) func `10 000 calls leave neither a descriptor nor memory behind`()
        async throws
    {
        // In a separate process, so that nothing else counts.
        await #expect(processExitsWith: .success) {
            let service = ScriptedTokenService<TestToken>(forever: .numberedToken())
            let auth = Auth.holdingA(service)
            let count = Lock(0)
            // Every fiftieth call that comes is refused, so that each kind of call is also made twice.
            let echo = EchoService { _ in
                count.withLock {
                    $0 += 1; return $0 % 50 == 0
                } ? .atOnce() : nil
            }
            try await withEcho(echo, auth) { client in
                func calls(_ number: Int) async throws {
                    let failures = Lock(0)
                    try await withThrowingTaskGroup { group in
                        for task in 0..<8 {
                            group.addTask {
                                for call in 0..<(number / 8) {
                                    do {
                                        _ = try await Way.allCases[(call + task) % 4].call(client)
                                    } catch { failures.withLock { $0 += 1 } }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    // A call fails only by a refusal, and each is made at most twice.
                    #expect(failures.withLock { $0 } <= number / 25)
                    echo.forget()
                }
                try await calls(2_000)
                let before = try Resources.now()
                try await calls(10_000)
                let after = try Resources.now()
                #expect(after.descriptors <= before.descriptors)
                #expect(after.bytes - before.bytes < 8_000_000, "\(before) \(after)")
            }
            #expect(service.calls > 1)
        }
    }
}

/// The resources of the process.
private struct Resources {
    let descriptors: Int
    let bytes: Int

    static func now() throws -> Resources {
        let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(statm.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return Resources(
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            bytes: pages * 4096)
    }
}
#endif
