// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

// Runs in which the disk is full, and runs in which users change the session.
extension StressRun {
    /// Fills the disk for five seconds at a random moment of a refresh. Then all workers must continue.
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

    /// Lets a worker sign in as another user, or end the session, in turn.
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

    /// A worker signs out or removes the session at a random moment of a refresh. When all tokens have expired after
    /// that, no worker may get another one. Then a worker signs in again.
    private func endSession(by command: String) throws {
        let family = try expireTokens().family
        let initiator = crew.process(at: .random(in: 0..<options.workers))
        crew.goAll(except: initiator.name)
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        initiator.send(command)
        try journal.wait(until: "the session has been ended") { $0.ended.contains(family) }
        try waitForAnswers(of: options.workers - 1)
        try letAllGoOnAfterExpiry()
        try crew.signInAgain()
    }

    /// A worker signs in as another user just before or after the others need a token. When all tokens have expired
    /// after that, all workers must continue in the new session.
    private func replaceSessionOfWaiting() throws {
        let family = try expireTokens().family
        let initiator = crew.process(at: .random(in: 0..<options.workers))
        var steps = [{ crew.goAll(except: initiator.name) }, { initiator.send("signInAsOther") }]
        steps.shuffle()
        steps[0]()
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        steps[1]()
        try goOn(inPlaceOf: family)
    }

    /// The same with requests that get a 401: one when the sign-in is in the store, the others at a random moment.
    private func replaceSessionOfRefused() throws {
        let family = try expireTokens().family
        let workers = (0..<options.workers).shuffled()
        let (initiator, last) = (crew.process(at: workers[0]), workers[1])
        for worker in workers.dropFirst() { server.refuseNextUse(by: worker, untilReplaced: worker == last) }
        crew.goAll(except: initiator.name)
        try journal.wait(until: "worker \(last) gets a 401") { $0.refused.contains(last) }
        Thread.sleep(forTimeInterval: .random(in: 0...0.06))
        initiator.send("signInAsOther")
        try goOn(inPlaceOf: family)
    }

    private func goOn(inPlaceOf family: Int) throws {
        try journal.wait(until: "another user has signed in") { $0.ended.contains(family) }
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
