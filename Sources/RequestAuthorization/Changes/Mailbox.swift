// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Elements on their way to one reader, in order, each exactly once.
///
/// Posting never waits and resumes nobody: it returns the reader, if one is waiting, to be woken when no lock is held. What was
/// posted stays in the mailbox until the reader, awake, takes it out; so nothing is on its way past ``cancel()``.
final class Mailbox<Element: Sendable>: Sendable {
    fileprivate struct Contents {
        var pending: ArraySlice<Element> = []
        var reader: UnsafeContinuation<Void, Never>?
        var isOpen = true
    }

    private let contents = Lock(Contents())

    /// A reader that has something to take, or nothing to wait for.
    struct Delivery: Sendable {
        fileprivate let reader: UnsafeContinuation<Void, Never>

        func perform() { reader.resume() }
    }

    func post(_ element: Element) -> Delivery? {
        contents.withLock { contents in
            guard contents.isOpen else { return nil }
            contents.pending.append(element)
            return contents.wakeReader()
        }
    }

    /// Lets the reader take what is there, then ends. Nothing more is accepted.
    func finish() {
        contents.withLock { $0.close() }?.perform()
    }

    /// Ends at once: after this has returned, the reader takes nothing more.
    func cancel() {
        let (delivery, dropped) = contents.withLock { contents in
            defer { contents.pending = [] }
            return (contents.close(), contents.pending)
        }
        delivery?.perform()
        withExtendedLifetime(dropped) {}  // Nothing of a user's ends under the lock.
    }

    /// The next element, if there is one by now.
    func poll() -> Element? { contents.withLock { $0.take() } }

    /// The next element; `nil` at the end and when the task is cancelled, which ends the mailbox, and to a second reader while
    /// one waits.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            while true {
                if let element = poll() { return element }
                guard await waits() else { return nil }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Waits until there may be something to take.
    ///
    /// - Returns: `false` at once if there is nothing to wait for.
    private func waits() async -> Bool {
        var waits = true
        await withUnsafeContinuation { reader in
            let isHeld = contents.withLock { contents in
                waits = !contents.pending.isEmpty || (contents.isOpen && contents.reader == nil)
                guard waits, contents.pending.isEmpty else { return false }
                contents.reader = reader
                return true
            }
            if !isHeld { reader.resume() }
        }
        return waits
    }
}

extension Mailbox.Contents {
    fileprivate mutating func take() -> Element? {
        let element = pending.popFirst()
        if pending.isEmpty { pending = [] }  // Keeps nothing alive that has been taken.
        return element
    }

    fileprivate mutating func close() -> Mailbox.Delivery? {
        isOpen = false
        return wakeReader()
    }

    fileprivate mutating func wakeReader() -> Mailbox.Delivery? {
        defer { reader = nil }
        return reader.map { Mailbox.Delivery(reader: $0) }
    }
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
