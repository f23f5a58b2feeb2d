// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Dispatch
import RequestAuthorization

/// Announces that an item may have been exchanged, for all items of a folder.
///
/// It has no descriptor and no state for an item. Every notice is announced, and who listens reads the item again: numbers of
/// files are reused and times tie, so what the system says of a file cannot show that it is the same one.
///
/// Where the system sends no notices, the folder's own times are looked at twice a second, and a change there is announced for
/// all items.
final class FolderWatch: Sendable {
    private struct State {
        var listeners: [String: [Int: @Sendable () -> Void]] = [:]
        var count = 0
        var notices: (number: Int, subscription: FolderNotices.Subscription)?
        /// The subscriptions that are being made, and whether their folder has gone already.
        var beginning: [Int: Bool] = [:]
        /// Without notices: what was seen at the latest look.
        var seen: FolderLook?
        /// A look is due.
        var isLooking = false
    }

    typealias Follow = @Sendable (CInt, @escaping FolderNotices.Handler) -> FolderNotices.Subscription?

    private let place: PrivateFolder
    private let queue: BlockingQueue
    private let subscribe: Follow
    private let state = Lock(State())

    /// How long, without notices, nothing is looked at.
    private static let interval = DispatchTimeInterval.milliseconds(500)

    /// - Parameters:
    ///   - queue: where the folder is looked at.
    ///   - subscribe: asks the system for notices.
    init(
        _ place: PrivateFolder, on queue: BlockingQueue,
        subscribe: @escaping Follow = { FolderNotices.follow($0, $1) }
    ) {
        (self.place, self.queue, self.subscribe) = (place, queue, subscribe)
    }

    /// What is read on a queue after this was called is not missed.
    ///
    /// - Parameters:
    ///   - name: the file of the item.
    ///   - queue: where the item is read.
    func changes(of name: String, readOn queue: BlockingQueue) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, isFollowed) = add(name) { continuation.yield() }
        continuation.onTermination = { [weak self] _ in self?.leave(name, id) }
        if !isFollowed { queue.begin { self.follow() } }
        return stream
    }

    /// Calls a handler when something may have happened to a file, from now on; may block.
    ///
    /// - Parameter handler: must not block.
    /// - Returns: what ``leave(_:_:)`` takes.
    func listen(to name: String, _ handler: @escaping @Sendable () -> Void) -> Int {
        let (id, isFollowed) = add(name, handler)
        if !isFollowed { follow() }
        return id
    }

    func leave(_ name: String, _ id: Int) {
        let over = state.withLock { state -> FolderNotices.Subscription? in
            state.listeners[name]?[id] = nil
            if state.listeners[name]?.isEmpty == true { state.listeners[name] = nil }
            guard state.listeners.isEmpty else { return nil }
            defer { (state.notices, state.seen) = (nil, nil) }
            return state.notices?.subscription
        }
        // It ends here, with nothing locked.
        withExtendedLifetime(over) {}
    }

    // MARK: -

    private func add(_ name: String, _ handler: @escaping @Sendable () -> Void) -> (id: Int, isFollowed: Bool) {
        state.withLock { state in
            state.count += 1
            state.listeners[name, default: [:]][state.count] = handler
            return (state.count, state.notices != nil)
        }
    }

    /// Asks for notices. As long as there are none to be had, it looks from time to time.
    ///
    /// - Returns: whether notices arrive from now on.
    @discardableResult
    private func follow() -> Bool {
        let number = state.withLock { state -> Int? in
            guard !state.listeners.isEmpty, state.notices == nil else { return nil }
            state.count += 1
            state.beginning[state.count] = false
            return state.count
        }
        guard let number else { return true }
        let subscription = subscription(number)
        let (isFollowed, wasWithout) = state.withLock { state in
            // The folder may have gone before its subscription is kept: then nothing more would ever be told of it.
            guard state.beginning.removeValue(forKey: number) == false, let subscription else { return (false, false) }
            // What was not needed after all ends with this function.
            guard state.notices == nil, !state.listeners.isEmpty else { return (true, false) }
            (state.notices, state.seen) = ((number, subscription), nil)
            return (true, state.isLooking)
        }
        if !isFollowed { lookLater() }
        // Notices tell nothing of what happened before them, and no look will.
        if wasWithout { announceAll() }
        return isFollowed
    }

    private func subscription(_ number: Int) -> FolderNotices.Subscription? {
        guard let folder = try? place.open(making: false) else { return nil }
        let subscription = folder.withNumber { folder in
            subscribe(folder) { [weak self] notice in self?.take(notice, of: number) }
        }
        // Of a folder that was moved away before, nothing would ever be told.
        guard let followed = try? folder.status, let current = try? place.open(making: false)?.status,
            (followed.device, followed.inode) == (current.device, current.inode)
        else { return nil }
        return subscription
    }

    /// - Parameter number: the subscription.
    private func take(_ notice: FolderNotices.Notice, of number: Int) {
        switch notice {
        case .file(let name): announce(of: name)
        case .anyFile: announceAll()
        case .folder:
            let former = state.withLock { state -> FolderNotices.Subscription? in
                if state.beginning[number] != nil { state.beginning[number] = true }
                guard state.notices?.number == number else { return nil }
                defer { state.notices = nil }
                return state.notices?.subscription
            }
            withExtendedLifetime(former) {}
            queue.begin {
                self.follow()
                self.announceAll()
            }
        }
    }

    private func announce(of name: String) {
        let listeners = state.withLock { $0.listeners[name].map { Array($0.values) } ?? [] }
        for listener in listeners { listener() }
    }

    private func announceAll() {
        let listeners = state.withLock { $0.listeners.values.flatMap(\.values) }
        for listener in listeners { listener() }
    }
}

// MARK: - Without notices

extension FolderWatch {
    /// Begins to look from time to time, unless that has begun.
    private func lookLater() {
        let isFirst = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst else { return }
        if state.withLock({ $0.seen == nil }) { see() }
        queue.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        let isOver = state.withLock { state in
            state.isLooking = false
            return state.listeners.isEmpty || state.notices != nil
        }
        guard !isOver else { return }
        let mayDiffer = see()
        // What happened before notices arrive is not told by them.
        if follow() || mayDiffer { announceAll() }
    }

    /// Looks at the folder.
    ///
    /// - Returns: whether something may have changed in it since the latest look. One that cannot be looked at now is looked at
    ///   again.
    @discardableResult
    private func see() -> Bool {
        let status: FileStatus?
        do {
            status = try place.look()
        } catch {
            return false
        }
        return state.withLock { state in
            let former = state.seen
            let next = FolderLook(status, after: former)
            state.seen = next
            return former.map { next.mayDiffer(from: $0) } ?? true
        }
    }
}

/// What was seen of a folder at a time.
struct FolderLook {
    private let status: FileStatus?
    private let at: ContinuousClock.Instant
    private let firstSeen: ContinuousClock.Instant

    /// A file system may note times as coarsely as this, and two changes within it look like one.
    static let grain = Duration.seconds(1)

    /// - Parameter status: `nil` if there is no folder.
    init(_ status: FileStatus?, after former: FolderLook?, at now: ContinuousClock.Instant = .now) {
        (self.status, at) = (status, now)
        firstSeen = if let former, former.status == status { former.firstSeen } else { now }
    }

    func mayDiffer(from former: FolderLook) -> Bool {
        status != former.status || (status != nil && former.at < former.firstSeen + Self.grain)
    }
}
