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

    /// By turns somebody signs in as somebody else, or ends the session.
    func changeSessions(times: Int, _ progress: (String) -> Void) throws {
        for done in 1...times {
            switch done % 4 {
            case 1: try done % 8 == 1 ? replaceSessionOfRefused() : replaceSessionOfWaiting()
            case 2: try endSession(by: "remove")
            case 3: try endSession(by: "clear")
            default: try endSession(by: "signOut")
            }
            progress("\(done)/\(times) changes")
        }
    }

    /// Somebody signs out or removes the session at some moment of a refresh. When all tokens have expired once more, nobody
    /// may have another; then somebody signs in again.
    private func endSession(by command: String) throws {
        let family = try expireTokens().family
        let somebody = crew.process(at: .random(in: 0..<options.workers))
        crew.goAll(except: somebody.name)
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        somebody.send(command)
        try journal.wait(until: "the session has been ended") { $0.ended.contains(family) }
        try waitForAnswers(of: options.workers - 1)
        try letAllGoOnAfterExpiry()
        try crew.signInAgain()
    }

    /// Somebody signs in as somebody else a moment before or after the others need a token. When all tokens have expired once
    /// more, all must go on in the new session.
    private func replaceSessionOfWaiting() throws {
        let family = try expireTokens().family
        let somebody = crew.process(at: .random(in: 0..<options.workers))
        var steps = [{ crew.goAll(except: somebody.name) }, { somebody.send("signInAsOther") }]
        steps.shuffle()
        steps[0]()
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        steps[1]()
        try goOn(inPlaceOf: family)
    }

    /// The same while requests have been sent that get a 401: one when the sign-in is in the store, the others at any moment.
    private func replaceSessionOfRefused() throws {
        let family = try expireTokens().family
        let workers = (0..<options.workers).shuffled()
        let (somebody, last) = (crew.process(at: workers[0]), workers[1])
        for worker in workers.dropFirst() { server.refuseNextUse(by: worker, untilReplaced: worker == last) }
        crew.goAll(except: somebody.name)
        try journal.wait(until: "worker \(last) gets a 401") { $0.refused.contains(last) }
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        somebody.send("signInAsOther")
        try goOn(inPlaceOf: family)
    }

    private func goOn(inPlaceOf family: Int) throws {
        try journal.wait(until: "somebody else has signed in") { $0.ended.contains(family) }
        try waitForAnswers(of: options.workers)
        try letAllGoOnAfterExpiry()
    }

    private func letAllGoOnAfterExpiry() throws {
        _ = try expireTokens()
        crew.goAll()
        try waitForAnswers(of: options.workers)
    }

    private func waitForAnswers(of count: Int) throws {
        try journal.wait(until: "\(count) workers have an answer") { $0.answered.count >= count }
    }
}
