// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting
import Testing

@testable import RequestAuthorization

@Suite(.timeLimit(.minutes(5))) struct MailboxTests {
    private let mailbox = Mailbox<Int>()

    @Test func `posted elements are delivered once, in order`() async {
        for number in 1...3 { #expect(mailbox.post(number) == nil) }
        #expect(await mailbox.next() == 1)
        #expect(mailbox.poll() == 2)
        #expect(await mailbox.next() == 3)
        #expect(mailbox.poll() == nil)
    }

    @Test func `posting resumes no task directly, and wakes a reader once`() async throws {
        let reader = await startReader()
        let waiting = try #require(mailbox.post(1))
        #expect(mailbox.post(2) == nil)
        waiting.resume()
        #expect(await reader.value == 1)
        #expect(await mailbox.next() == 2)
    }

    @Test func `a reader whose element was taken by another reader goes on waiting`() async throws {
        let thread = OneThread()
        let reader = await startReader(on: thread)
        let waiting = try #require(mailbox.post(1))
        #expect(mailbox.poll() == 1)
        waiting.resume()
        await Task(executorPreference: thread) {}.value  // Runs after the reader, which then waits again.
        try #require(mailbox.post(2)).resume()
        #expect(await reader.value == 2)
    }

    @Test func `a finished mailbox delivers its elements, then ends`() async {
        _ = mailbox.post(1)
        mailbox.finish()
        #expect(mailbox.post(2) == nil)
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == nil)
    }

    @Test func `finishing ends a reader that waits`() async {
        let reader = await startReader()
        mailbox.finish()
        #expect(await reader.value == nil)
    }

    @Test func `a cancelled mailbox delivers nothing`() async {
        _ = mailbox.post(1)
        mailbox.cancel()
        _ = mailbox.post(2)
        #expect(mailbox.poll() == nil)
        #expect(await mailbox.next() == nil)
    }

    @Test func `cancelling ends a reader that waits`() async {
        let reader = await startReader()
        mailbox.cancel()
        #expect(await reader.value == nil)
    }

    @Test func `an element posted to a reader that has not run yet is not delivered after cancel`() async throws {
        let reader = await startReader()
        let waiting = try #require(mailbox.post(1))
        mailbox.cancel()
        waiting.resume()
        #expect(await reader.value == nil)
    }

    @Test func `a second reader gets nothing and takes no element away`() async throws {
        let reader = await startReader()
        #expect(await mailbox.next() == nil)
        try #require(mailbox.post(1)).resume()
        #expect(await reader.value == 1)
        _ = mailbox.post(2)
        #expect(await mailbox.next() == 2)
    }

    @Test func `a cancelled task ends the mailbox`() async {
        let reader = await startReader()
        reader.cancel()
        #expect(await reader.value == nil)
        _ = mailbox.post(1)
        #expect(mailbox.poll() == nil)
    }

    @Test func `in a cancelled task a mailbox delivers nothing`() async {
        _ = mailbox.post(1)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await mailbox.next()
        }
        #expect(await reader.value == nil)
    }

    @Test func `a delivered element is not kept`() async {
        let mailbox = Mailbox<Canary>()
        let end = OneShot<Void>()
        _ = mailbox.post(Canary(end))
        _ = mailbox.poll()
        withExtendedLifetime(mailbox) { #expect(end.isFulfilled) }
    }

    @Test func `a delivered element is not kept while others are pending`() async {
        let mailbox = Mailbox<Canary>()
        let (first, second) = (OneShot<Void>(), OneShot<Void>())
        for end in [first, second] { _ = mailbox.post(Canary(end)) }
        _ = mailbox.poll()
        withExtendedLifetime(mailbox) { #expect(first.isFulfilled && !second.isFulfilled) }
    }

    // MARK: -

    /// A reader that waits. Of two readers one gets nothing at once, because the other waits.
    private func startReader(on thread: OneThread? = nil) async -> Task<Int?, Never> {
        let (ended, end) = AsyncStream<Int>.makeStream()
        let readers = (0...1).map { number in
            Task(executorPreference: thread) {
                let element = await mailbox.next()
                end.yield(number)
                return element
            }
        }
        var numbers = ended.makeAsyncIterator()
        let refused = await numbers.next()
        return readers[refused == 0 ? 1 : 0]
    }
}
