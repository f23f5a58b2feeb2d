// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Announces possible changes of the items in a folder.
///
/// It keeps no descriptor for an item. Every notice about an item is announced, and the listeners read the item again.
/// If the system does not tell which file has changed, as on Darwin, the metadata of each item is compared with the
/// last one. So a save does not make the listeners of all other items read.
///
/// Without notices of the system it polls the folder's metadata twice a second, and announces a change for all items.
final class FolderWatch: Sendable {
    private struct State {
        var listeners: [String: [Int: @Sendable () -> Void]] = [:]
        /// The items among the names. The others are locks, whose release changes no name.
        var items: Set<String> = []
        /// The metadata of items at the last notice without a name.
        var looks: [String: FolderLook] = [:]
        /// Whether the items are about to be compared.
        var isComparing = false
        var count = 0
        var notices: (number: Int, subscription: FolderNotices.Subscription)?
        /// The subscriptions that are being made, unless their folder was removed meanwhile.
        var beginning: Set<Int> = []
        /// Without notices: the result of the last poll.
        var seen: FolderLook?
        /// Whether a poll is scheduled.
        var isLooking = false
    }

    typealias Follow = @Sendable (CInt, @escaping FolderNotices.Handler) -> FolderNotices.Subscription?

    private let place: PrivateFolder
    private let queue: any FileQueue
    private let subscribe: Follow
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Lock(State())

    /// The time between two polls.
    private static let interval = Duration.milliseconds(500)

    /// - Parameters:
    ///   - queue: reads the metadata of the folder.
    ///   - subscribe: subscribes to notices of the system.
    ///   - now: the time of a look at metadata.
    init(
        _ place: PrivateFolder, on queue: any FileQueue,
        subscribe: @escaping Follow = { FolderNotices.follow($0, $1) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.place, self.queue, self.subscribe, self.now) = (place, queue, subscribe, now)
    }

    /// Returns a stream of possible changes. It reports all changes after a read that is submitted to the queue later.
    ///
    /// - Parameters:
    ///   - name: the file of the item.
    ///   - queue: reads the item.
    func changes(of name: String, readOn queue: any FileQueue) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = listen(to: name, isItem: true, on: queue) { continuation.yield() }
        // Strong, because the store may be released while its stream is read.
        continuation.onTermination = { _ in self.leave(name, id) }
        return stream
    }

    /// Calls a handler for each possible change of a file from now on. The call may block.
    ///
    /// - Parameters:
    ///   - isItem: whether each change replaces the file. A lock is released without that.
    ///   - queue: begins to follow the folder, in place of this call, which then does not block.
    ///   - handler: must not block.
    /// - Returns: the id for ``leave(_:_:)``.
    func listen(
        to name: String, isItem: Bool = false, on queue: (any FileQueue)? = nil,
        _ handler: @escaping @Sendable () -> Void
    ) -> Int {
        let (id, isFollowed) = state.withLock { state in
            if isItem { state.items.insert(name) }
            state.count += 1
            state.listeners[name, default: [:]][state.count] = handler
            return (state.count, state.notices != nil)
        }
        guard !isFollowed else { return id }
        if let queue { queue.begin { self.follow() } } else { follow() }
        return id
    }

    func leave(_ name: String, _ id: Int) {
        let over = state.withLock { state -> FolderNotices.Subscription? in
            state.listeners[name]?[id] = nil
            if state.listeners[name]?.isEmpty == true {
                (state.listeners[name], state.looks[name]) = (nil, nil)
                state.items.remove(name)
            }
            guard state.listeners.isEmpty else { return nil }
            defer { (state.notices, state.seen) = (nil, nil) }
            return state.notices?.subscription
        }
        // The subscription ends here, after the state is unlocked.
        withExtendedLifetime(over) {}
    }

    /// The files that have listeners; for tests.
    var heard: Set<String> { state.withLock { Set($0.listeners.keys) } }

    // MARK: -

    /// Subscribes to notices, and returns whether they arrive from now on. Polls for as long as that fails.
    @discardableResult
    private func follow() -> Bool {
        let number = state.withLock { state -> Int? in
            guard !state.listeners.isEmpty, state.notices == nil else { return nil }
            state.count += 1
            state.beginning.insert(state.count)
            return state.count
        }
        guard let number else { return true }
        let subscription = subscription(number)
        let (isFollowed, wasWithout) = state.withLock { state in
            // If the folder was removed meanwhile, its subscription would never report anything.
            guard state.beginning.remove(number) != nil, let subscription else { return (false, false) }
            // A subscription that is not needed any more ends with this function.
            guard state.notices == nil, !state.listeners.isEmpty else { return (true, false) }
            (state.notices, state.seen) = ((number, subscription), nil)
            return (true, state.isLooking)
        }
        if !isFollowed { lookLater() }
        // Changes since the last poll are reported neither by notices nor by another poll.
        if wasWithout { announceAll() }
        return isFollowed
    }

    private func subscription(_ number: Int) -> FolderNotices.Subscription? {
        guard let folder = try? place.open() else { return nil }
        let subscription = folder.withNumber { folder in
            subscribe(folder) { [weak self] notice in self?.take(notice, of: number) }
        }
        // A subscription to a folder that was moved away before would never report anything.
        guard let followed = try? folder.status, let current = try? place.open()?.status,
            (followed.device, followed.inode) == (current.device, current.inode)
        else { return nil }
        return subscription
    }

    /// - Parameter number: the subscription.
    private func take(_ notice: FolderNotices.Notice, of number: Int) {
        switch notice {
        case .file(let name): announce(of: name)
        case .someFile: announceSome()
        case .folder:
            let former = state.withLock { state -> FolderNotices.Subscription? in
                state.beginning.remove(number)
                guard state.notices?.number == number else { return nil }
                return state.notices.take()?.subscription
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

// MARK: - Notices without a name

extension FolderWatch {
    /// Announces all locks now, and then the items that may have changed.
    private func announceSome() {
        let (locks, isFirst) = state.withLock { state in
            defer { state.isComparing = true }
            return (state.listeners.keys.filter { !state.items.contains($0) }, !state.isComparing)
        }
        for name in locks { announce(of: name) }
        if isFirst { queue.begin { self.compare() } }
    }

    /// Looks at each item once, however many notices there were.
    private func compare() {
        let names = state.withLock { state in
            state.isComparing = false
            return state.items
        }
        guard let folder = try? place.open() else { return announceAll() }
        for name in names where mayDiffer(name, in: folder) { announce(of: name) }
    }

    private func mayDiffer(_ name: String, in folder: OpenFolder) -> Bool {
        guard case .success(let status) = Result(catching: { try folder.status(of: name) }) else { return true }
        return state.withLock { $0.items.contains(name) && $0.looks[name].lookAgain(status, at: now()) }
    }
}

// MARK: - Without notices

extension FolderWatch {
    /// Schedules the next poll, unless one is scheduled.
    private func lookLater() {
        let isFirst = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst else { return }
        if state.withLock({ $0.seen == nil }) { see() }
        queue.begin(after: Self.interval) { [weak self] in self?.lookAgain() }
    }

    private func lookAgain() {
        let isOver = state.withLock { state in
            state.isLooking = false
            return state.listeners.isEmpty || state.notices != nil
        }
        guard !isOver else { return }
        let mayDiffer = see()
        // Notices do not report changes from before the subscription.
        if follow() || mayDiffer { announceAll() }
    }

    /// Polls the folder.
    ///
    /// - Returns: whether something may have changed since the last poll. `false` if the folder cannot be read now; the
    ///   next poll compares with the same state.
    @discardableResult
    private func see() -> Bool {
        guard case .success(let status) = Result(catching: { try place.look() }) else { return false }
        return state.withLock { $0.seen.lookAgain(status, at: now()) }
    }
}

/// The metadata of a folder, or of an item in it, at a time.
struct FolderLook {
    fileprivate let status: FileStatus?
    fileprivate let at: ContinuousClock.Instant
    fileprivate let firstSeen: ContinuousClock.Instant

    /// The coarsest resolution of file times. Two changes within it may look like one.
    static let grain = Duration.seconds(1)
}

extension FolderLook? {
    /// Takes new metadata, and returns whether something may have changed since the last look, or before the first one.
    ///
    /// - Parameter status: `nil` if there is no such folder or item.
    mutating func lookAgain(_ status: FileStatus?, at now: ContinuousClock.Instant) -> Bool {
        guard let former = self, former.status == status else {
            self = FolderLook(status: status, at: now, firstSeen: now)
            return true
        }
        self = FolderLook(status: status, at: now, firstSeen: former.firstSeen)
        return status != nil && former.at < former.firstSeen + FolderLook.grain
    }
}
