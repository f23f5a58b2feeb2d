// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Those who follow a provider: they receive its changes, its events or its states, all in the order of the lock.
struct Feed {
    private enum Subscriber {
        case changes(Mailbox<TokenNotice>)
        case events(Mailbox<AuthorizationEvent>)
        case statuses(Mailbox<RefreshState.Status>)
    }

    private var subscribers: [Int: Subscriber] = [:]
    private var lastNumber = 0
    /// The provider is gone. Nothing will change any more.
    private var isFinished = false
    /// Receives each event outside the lock. It does not count as a use of the provider.
    private(set) var reporter: (any AuthorizationReporter)?
    /// The events that it has not got yet.
    private var unreported: [AuthorizationEvent] = []
    private var isReporting = false

    var isEmpty: Bool { subscribers.isEmpty }

    /// Whether anything receives events.
    var isHeard: Bool {
        reporter != nil || subscribers.values.contains { if case .events = $0 { true } else { false } }
    }

    // MARK: Posting

    /// Posts what a transition tells, and returns who is to be woken outside the lock.
    func post(_ notices: [Notice], _ former: RefreshState, _ state: RefreshState) -> [WaitingReader] {
        guard !subscribers.isEmpty else { return [] }
        let status = state.status == former.status ? nil : state.status
        return notices.flatMap(post)
            + subscribers.values.compactMap { subscriber in
                guard case .statuses(let mailbox) = subscriber else { return nil }
                return status.flatMap { mailbox.post($0) }
            }
    }

    func post(_ notice: Notice) -> [WaitingReader] {
        subscribers.values.compactMap { subscriber in
            switch (notice, subscriber) {
            case (.token(let notice), .changes(let mailbox)): mailbox.post(notice)
            case (.event(let event), .events(let mailbox)): mailbox.post(event)
            default: nil
            }
        }
    }

    // MARK: Subscribing

    /// Adds a mailbox for changes that begins with the current token; `nil` if the provider is gone.
    mutating func observe(_ mailbox: Mailbox<TokenNotice>, _ state: RefreshState) -> Int? {
        guard let number = add(.changes(mailbox)) else { return nil }
        switch state.holding {
        case .held(let held, _): _ = mailbox.post(.updated(held))
        case .ended(let ending): _ = mailbox.post(.invalidated(ending.error))
        case .unknown, .absent: break
        }
        return number
    }

    mutating func listen(_ mailbox: Mailbox<AuthorizationEvent>) -> Int? { add(.events(mailbox)) }

    /// Adds a mailbox for each new status, which begins with the current one.
    mutating func follow(_ mailbox: Mailbox<RefreshState.Status>, _ state: RefreshState) -> Int? {
        guard let number = add(.statuses(mailbox)) else { return nil }
        _ = mailbox.post(state.status)
        return number
    }

    /// Sends each event from now on to a reporter, and returns the former one.
    mutating func report(to new: (any AuthorizationReporter)?) -> (any AuthorizationReporter)? {
        defer { reporter = new }
        return reporter
    }

    /// Queues events for the reporter, and returns whether there are any.
    mutating func queue(_ notices: [Notice]) -> Bool {
        guard reporter != nil else { return false }
        for case .event(let event) in notices { unreported.append(event) }
        return !unreported.isEmpty
    }

    /// Takes the events to report now; `nil` if there are none, or if another thread is reporting and will take them.
    mutating func takeReport(isNext: Bool) -> ([AuthorizationEvent], any AuthorizationReporter)? {
        guard isNext || !isReporting else { return nil }
        isReporting = !unreported.isEmpty && reporter != nil
        guard isReporting, let reporter else { return nil }
        defer { unreported = [] }
        return (unreported, reporter)
    }

    mutating func remove(_ number: Int) { subscribers[number] = nil }

    /// Removes all subscribers, and returns how they are told that the provider is gone.
    mutating func finish() -> [@Sendable () -> Void] {
        defer { (subscribers, isFinished) = ([:], true) }
        return subscribers.values.map { subscriber in
            switch subscriber {
            case .changes(let mailbox): { mailbox.finish() }
            case .events(let mailbox): { mailbox.finish() }
            case .statuses(let mailbox): { mailbox.finish() }
            }
        }
    }

    private mutating func add(_ subscriber: Subscriber) -> Int? {
        guard !isFinished else { return nil }
        lastNumber += 1
        subscribers[lastNumber] = subscriber
        return lastNumber
    }
}
