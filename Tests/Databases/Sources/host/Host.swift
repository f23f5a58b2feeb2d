// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import DatabaseRecords
import Foundation
import RequestAuthorization
import RequestAuthorizationStorage
import RequestAuthorizationTesting
import Synchronization

/// A host of a fleet: `host DATABASE FOLDER strict|grace LEASE`.
///
/// Each line on standard input is a command, which it answers with a line unless it is the last one of these:
///
///     sign in     sign in with the token 0
///     SECONDS     move the time of day on, ask for a valid token, and print its number, or `-` and an error
///     die N KILL  die at the N-th step from now on, if no other host has died in this KILL
@main
struct Host {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (clock, folder) = (MovedClock(), URL(filePath: arguments[2]))
        let steps = Steps(folder: folder)
        let fleet = try await LeasedTokens(
            database: StepwiseRecords(base: try openDatabase(arguments[1]), steps: steps),
            key: .bytes(Data(repeating: 7, count: 32)), lease: .seconds(Double(arguments[4]) ?? 10),
            requestDeadline: .seconds(1), clock: clock)
        let store: LeasedTokenStore<TestToken> = fleet.store(client: "web", account: "ada")
        let service = FolderTokens(
            tokens: SpentTokens(folder: folder, hasGrace: arguments[3] == "grace"), clock: clock, steps: steps)
        let authorization = RefreshableTokenAuthorization(service: service, store: store, clock: clock)
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ")
            if words.first == "sign" {
                try await authorization.setToken(TestToken("0", expiresAt: clock.now + 600))
                say("0")
            } else if words.first == "die" {
                steps.die(at: Int(words[1]) ?? 0, of: String(words[2]))
            } else {
                clock.move(by: Double(line) ?? 0)
                say(await tokenOrError(authorization, clock))
            }
        }
    }

    /// Asks again after a failure that passes, as a caller does: a busy machine may be too slow for a lease.
    private static func tokenOrError(
        _ authorization: RefreshableTokenAuthorization<TestToken>, _ clock: MovedClock
    ) async -> String {
        while true {
            do {
                return try await authorization.validToken().name
            } catch let failed as RefreshFailed {
                try? await clock.sleep(for: .seconds(max(0, failed.nextTryAt.timeIntervalSince(clock.now))))
            } catch {
                return "- \(error)"
            }
        }
    }
}

/// Prints a line at once.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Spends tokens in a folder.
struct FolderTokens: RefreshableTokenService {
    let tokens: SpentTokens
    let clock: MovedClock
    let steps: Steps

    func refresh(_ token: TestToken) async throws -> TestToken {
        let now = clock.now
        steps.pass()
        let next = try tokens.spend(Int(token.name) ?? 0)
        steps.pass()
        return TestToken("\(next)", expiresAt: now + 600)
    }
}

/// The system's clock, whose time of day is moved on.
final class MovedClock: AuthorizationClock {
    private let moved = Mutex(0.0)

    func move(by seconds: Double) { moved.withLock { $0 += seconds } }

    var now: Date { Date() + moved.withLock { $0 } }
    var uptime: Duration { SystemClock.system.uptime }
    func sleep(for duration: Duration) async throws { try await SystemClock.system.sleep(for: duration) }
}
