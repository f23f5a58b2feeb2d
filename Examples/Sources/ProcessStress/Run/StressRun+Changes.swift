// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

// Runs in which the disk is full, and in which people change the session.
extension StressRun {
    /// The disk is full for five seconds from some moment of a refresh on; then everybody goes on.
    func fillDisk(times: Int, _ progress: (String) -> Void) throws {
        for done in 1...times {
            let (place, names) = (try expireTokens(), crew.names)
            crew.goAll()
            Thread.sleep(forTimeInterval: .random(in: 0...0.06))
            try journal.append(LogLine(.diskFull))
            try Data().write(to: folder.fullDisk)
            Thread.sleep(forTimeInterval: 5)
            try FileManager.default.removeItem(at: folder.fullDisk)
            try waitUntil("all workers use a token newer than \(place)") { $0.hasPassed(place, names) }
            progress("\(done)/\(times) full disks")
        }
    }

    /// Somebody signs out or removes the session at some moment of a refresh. When all tokens have expired once more, nobody
    /// may have another; then somebody signs in again.
    func changeSessions(times: Int, _ progress: (String) -> Void) throws {
        for done in 1...times {
            let family = try expireTokens().family
            let somebody = crew.process(at: .random(in: 0..<options.workers))
            crew.goAll(except: somebody.name)
            Thread.sleep(forTimeInterval: .random(in: 0...0.06))
            somebody.send(["signOut", "remove", "clear"][done % 3])
            try journal.wait(until: "the session has been ended") { $0.ended.contains(family) }
            try journal.wait(until: "everybody has an answer") { $0.answered.count >= options.workers - 1 }
            _ = try expireTokens()
            crew.goAll()
            try journal.wait(until: "everybody has an answer") { $0.answered.count >= options.workers }
            try crew.signInAgain()
            progress("\(done)/\(times) changes")
        }
    }
}
