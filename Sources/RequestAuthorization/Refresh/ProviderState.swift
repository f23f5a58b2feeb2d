// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one truth of a ``RefreshableTokenAuthorization``: its state and who observes it, under one lock.
///
/// What a request needs as long as the token is valid stands beside it, in a value that is not generic and is read without
/// touching anything else.
///
/// `@unchecked Sendable` is safe: `contents` is reached only inside `warm.withLock`.
final class ProviderState<Token: AuthorizationToken>: @unchecked Sendable {
    typealias Waiter = UnsafeContinuation<HeldToken<Token>, any Error>
    typealias State = RefreshState<Token, Waiter>

    private struct Contents {
        var state: State
        var observers: [Int: Mailbox<TokenChange<Token>>] = [:]
        var listeners: [Int: Mailbox<AuthorizationEvent>] = [:]
        var tasks: [FlightID: Task<Void, Never>] = [:]
        /// Outcomes for requests whose tasks are about to be suspended.
        var kept: [WaiterQueue<Waiter>.ID: Result<HeldToken<Token>, any Error>] = [:]
        var subscriptions = 0
        /// The provider is gone: nothing will change any more.
        var isFinished = false
    }

    private let warm = Lock<WarmCredential?>(nil)
    private var contents: Contents

    init(_ state: State) {
        contents = Contents(state: state)
        withState { _ in }
    }

    /// The header value, if requests may use it without asking.
    func warmHeader(at date: Date) -> String? {
        warm.withLock { warm in
            guard let warm, date < warm.until else { return nil }
            return warm.header
        }
    }

    /// The token, if it may be used without asking.
    func warmToken(at date: Date) -> Token? {
        warm.withLock { warm in
            guard let warm, date < warm.until, case .held(let held) = contents.state.credential else { return nil }
            return held.token
        }
    }

    @discardableResult
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        warm.withLock { warm in
            defer { warm = contents.state.warm.map { WarmCredential(header: $0.header, until: $0.until) } }
            return body(&contents.state)
        }
    }

    /// Moves the state on and tells those who observe it, in the order of the lock.
    ///
    /// - Returns: what the transition returned, and the actions that are still to be performed.
    func transition<Result>(_ body: (inout State) -> (Result, [State.Action])) -> (Result, [State.Action]) {
        var deliveries: [@Sendable () -> Void] = []
        let outcome = warm.withLock { warm in
            defer { warm = contents.state.warm.map { WarmCredential(header: $0.header, until: $0.until) } }
            let (result, actions) = body(&contents.state)
            return (result, actions.filter { !perform($0, deliveries: &deliveries) })
        }
        for deliver in deliveries { deliver() }
        return outcome
    }

    // MARK: Waiting

    /// The task of a request has been suspended at its place.
    ///
    /// - Returns: how it goes on, if that is known already.
    func hold(_ waiter: Waiter, at place: WaiterQueue<Waiter>.ID) -> Result<HeldToken<Token>, any Error>? {
        warm.withLock { _ in
            if Task.isCancelled {
                contents.kept[place] = nil
                _ = contents.state.cancel(place)
                return .failure(CancellationError())
            }
            if contents.state.hold(waiter, at: place) { return nil }
            return contents.kept.removeValue(forKey: place) ?? .failure(CancellationError())
        }
    }

    // MARK: Tasks

    /// Remembers the task of a flight, so that it can be cancelled; at once, if the flight is over by now.
    func register(_ task: Task<Void, Never>, for id: FlightID) {
        let isLive = warm.withLock { _ in
            let isLive = contents.state.isUnderWay(id)
            if isLive { contents.tasks[id] = task }
            return isLive
        }
        if !isLive { task.cancel() }
    }

    @discardableResult
    func forgetTask(of id: FlightID) -> Task<Void, Never>? {
        warm.withLock { _ in contents.tasks.removeValue(forKey: id) }
    }

    // MARK: Subscriptions

    /// A mailbox for changes that begins with what is known now; it closes when the subscription goes.
    func observe() -> Subscription<TokenChange<Token>> {
        subscribe { mailbox, contents, number in
            switch contents.state.credential {
            case .held(let held): _ = mailbox.post(.tokenUpdated(held.token))
            case .ended(let ending): _ = mailbox.post(.tokenInvalidated(ending.error))
            case .unknown, .absent: break
            }
            contents.observers[number] = mailbox
        }
    }

    /// A mailbox for events.
    ///
    /// - Parameter isJoining: whether it begins with a refresh that is under way already.
    func listen(isJoining: Bool = false) -> Subscription<AuthorizationEvent> {
        subscribe { mailbox, contents, number in
            if isJoining, contents.state.flight != nil { _ = mailbox.post(.refreshStarted) }
            contents.listeners[number] = mailbox
        }
    }

    /// The provider is gone: whoever observes takes what is there, then ends.
    func finish() {
        let (observers, listeners) = warm.withLock { _ in
            defer { (contents.observers, contents.listeners, contents.isFinished) = ([:], [:], true) }
            return (contents.observers, contents.listeners)
        }
        for mailbox in observers.values { mailbox.finish() }
        for mailbox in listeners.values { mailbox.finish() }
    }

    // MARK: -

    private func subscribe<Element>(
        _ body: (Mailbox<Element>, inout Contents, Int) -> Void
    ) -> Subscription<Element> {
        let mailbox = Mailbox<Element>()
        let (number, isFinished) = warm.withLock { _ in
            contents.subscriptions += 1
            if !contents.isFinished { body(mailbox, &contents, contents.subscriptions) }
            return (contents.subscriptions, contents.isFinished)
        }
        if isFinished { mailbox.finish() }
        return Subscription(mailbox) { [weak self] in self?.unsubscribe(number) }
    }

    private func unsubscribe(_ number: Int) {
        warm.withLock { _ in
            contents.observers[number] = nil
            contents.listeners[number] = nil
        }
    }

    /// - Returns: whether nothing is left to be done when the lock has been given up.
    private func perform(_ action: State.Action, deliveries: inout [@Sendable () -> Void]) -> Bool {
        switch action {
        case .announce(let change):
            for mailbox in contents.observers.values {
                if let it = mailbox.post(change) { deliveries.append(it.perform) }
            }
        case .emit(let event):
            for mailbox in contents.listeners.values {
                if let it = mailbox.post(event) { deliveries.append(it.perform) }
            }
        case .keep(let places, let result):
            for place in places { contents.kept[place] = result }
        case .resume, .fly, .cancel, .write, .unlock, .discard:
            return false
        }
        return true
    }
}

/// The header value that requests may use without asking, and until when.
struct WarmCredential {
    let header: String
    let until: Date
}

/// A mailbox that is open as long as somebody holds this.
final class Subscription<Element: Sendable>: Sendable {
    let mailbox: Mailbox<Element>
    private let end: @Sendable () -> Void

    init(_ mailbox: Mailbox<Element>, end: @escaping @Sendable () -> Void) {
        self.mailbox = mailbox
        self.end = end
    }

    func cancel() {
        mailbox.cancel()
        end()
    }

    deinit { cancel() }
}
