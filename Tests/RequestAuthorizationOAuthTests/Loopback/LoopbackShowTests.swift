// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

@testable import RequestAuthorizationOAuth

/// The caller's closures: whatever they do, the wait ends.
@Suite(.timeLimit(.minutes(5))) struct LoopbackShowTests {
    @Test func `a page that hangs holds up no callback and is not cancelled`() async throws {
        let (pause, end) = (Pause(), Pause())
        let wasCancelled = Lock<Bool?>(nil)
        let callback = try await LoopbackReceiver.patient.callback {
            try .waiting(at: $0)
        } show: { page in
            try await Reception(of: try #require(page.fragment())).end()
            await pause.hold()
            wasCancelled.withLock { $0 = Task.isCancelled }
            end.open()
        }
        #expect(callback.absoluteString.hasSuffix(Reception.good))
        #expect(wasCancelled.withLock { $0 } == nil)
        pause.open()
        await end.hold()
        #expect(wasCancelled.withLock { $0 } == false)
    }

    @Test func `the timeout ends a wait whose page hangs`() async throws {
        let pause = Pause()
        let error = await #expect(throws: SignInError.self) {
            try await LoopbackReceiver.loopback(timeout: .milliseconds(50)).callback {
                try .waiting(at: $0)
            } show: { _ in
                await pause.hold()
            }
        }
        #expect(error?.kind == .expired)
        pause.open()
    }

    @Test func `the timeout ends a start that ignores cancellation, and its page is not shown`() async throws {
        let (pause, released) = (Pause(), Pause())
        let error = await #expect(throws: SignInError.self) {
            let token = OpensWhenReleased(released)
            return try await LoopbackReceiver.loopback(timeout: .milliseconds(50)).callback {
                await pause.hold()
                return try .waiting(at: $0)
            } show: { _ in
                withExtendedLifetime(token) { _ = Issue.record("shown") }
            }
        }
        #expect(error?.kind == .expired)
        pause.open()
        await released.hold()
    }

    @Test func `cancelling the sign-in cancels its page, without waiting for it`() async throws {
        let (shown, pause, end) = (Pause(), Pause(), Pause())
        let task = Task {
            try await LoopbackReceiver.patient.callback {
                try .waiting(at: $0)
            } show: { _ in
                shown.open()
                await #expect(throws: CancellationError.self) { try await forever() }
                await pause.hold()
                end.open()
            }
        }
        await shown.hold()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        pause.open()
        await end.hold()
    }

    @Test func `an error of the page after the callback changes nothing`() async throws {
        let callback = try await LoopbackReceiver.patient.callback {
            try .waiting(at: $0)
        } show: { page in
            try await Reception(of: try #require(page.fragment())).end()
            throw SeenEnough()
        }
        #expect(callback.absoluteString.hasSuffix(Reception.good))
    }

    /// What the page of a sign-in does when its callback comes.
    enum Page: CaseIterable {
        case returns, hangs, throwsAnError, isInURLSession
    }

    @Test(arguments: Page.allCases) func `a hundred sign-ins end, whatever their pages do`(page: Page) async throws {
        let pause = Pause()
        defer { pause.open() }
        let session = URLSession(configuration: .ephemeral)
        try await withThrowingTaskGroup(of: URL.self) { group in
            for number in 0..<100 {
                if number >= 8 {
                    let callback = try await group.next()
                    #expect(callback?.absoluteString.hasSuffix(Reception.good) == true)
                }
                group.addTask {
                    try await LoopbackReceiver.patient.callback {
                        try .waiting(at: $0)
                    } show: { url in
                        let redirectURI = try #require(url.fragment())
                        if page == .isInURLSession {
                            let callback = try URL.make(redirectURI.replacing("/callback", with: Reception.good))
                            _ = try await session.data(from: callback)
                            return
                        }
                        try await Reception(of: redirectURI).end()
                        if page == .hangs { await pause.hold() }
                        if page == .throwsAnError { throw SeenEnough() }
                    }
                }
            }
            for try await callback in group { #expect(callback.absoluteString.hasSuffix(Reception.good)) }
        }
    }
}

/// Holds callers, also those whose task is cancelled, until it is opened.
final class Pause: Sendable {
    private let opened: Task<Void, Never>
    private let opening: AsyncStream<Void>.Continuation

    init() {
        let (stream, opening) = AsyncStream<Void>.makeStream()
        self.opening = opening
        opened = Task { for await _ in stream {} }
    }

    func hold() async { await opened.value }

    func open() { opening.finish() }
}

/// Opens a pause when the last closure that captures it is gone.
private final class OpensWhenReleased: Sendable {
    private let pause: Pause

    init(_ pause: Pause) { self.pause = pause }

    deinit { pause.open() }
}
#endif
