// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A queue of elements for one reader, each delivered exactly once and in order.
///
/// Posting neither waits nor resumes the reader: it returns the waiting reader, to be resumed outside any lock.
/// Elements stay in the mailbox until the reader takes them out, so ``cancel()`` leaves none in transit.
final class Mailbox<Element: Sendable>: Sendable {
    fileprivate struct Contents {
        /// The place of an element that was taken is `nil` until the array goes: it would keep the element alive.
        var pending: ArraySlice<Element?> = []
        var reader: UnsafeContinuation<Void, Never>?
        var isOpen = true
    }

    private let contents = Lock(Contents())

    /// A reader to resume, because there is an element or the mailbox is closed.
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

    /// Closes the mailbox. The reader still takes the pending elements.
    func finish() { contents.withLock { $0.close() }?.perform() }

    /// Closes the mailbox at once. After this has returned, the reader takes no element any more.
    func cancel() {
        let (delivery, dropped) = contents.withLock { contents in
            defer { contents.pending = [] }
            return (contents.close(), contents.pending)
        }
        delivery?.perform()
        withExtendedLifetime(dropped) {}  // No user's object is released under the lock.
    }

    /// Takes the next element, if there is one.
    func poll() -> Element? { contents.withLock { $0.take() } }

    /// Waits for the next element. Returns `nil` at the end, to a second reader while one waits, and when the task is
    /// cancelled, which closes the mailbox.
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

    /// Waits until there may be an element. Returns `false` at once if there is nothing to wait for.
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
        guard let element = pending.first else { return nil }
        pending[pending.startIndex] = nil
        pending.removeFirst()
        if pending.isEmpty { pending = [] }  // Frees the places of all elements that were taken.
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

/// A mailbox that closes when this object is released.
final class Subscription<Element: Sendable>: Sendable {
    let mailbox: Mailbox<Element>
    private let end: @Sendable () -> Void

    init(_ mailbox: Mailbox<Element>, end: @escaping @Sendable () -> Void) {
        (self.mailbox, self.end) = (mailbox, end)
    }

    func cancel() {
        mailbox.cancel()
        end()
    }

    deinit { cancel() }
}
