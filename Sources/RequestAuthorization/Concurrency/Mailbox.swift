// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A reader to resume, because there is an element or the mailbox is closed.
typealias WaitingReader = UnsafeContinuation<Void, Never>

/// A queue of elements for one reader, each delivered exactly once and in order.
///
/// Posting neither waits nor resumes the reader: it returns the waiting reader, to be resumed outside any lock.
/// Elements stay in the mailbox until the reader takes them out, so ``cancel()`` leaves none in transit.
final class Mailbox<Element: Sendable>: Sendable {
    fileprivate struct Contents {
        /// The place of an element that was taken is `nil` until the array goes: it would keep the element alive.
        var pending: ArraySlice<Element?> = []
        var reader: WaitingReader?
        var isOpen = true
    }

    private let contents = Lock(Contents())

    func post(_ element: Element) -> WaitingReader? {
        contents.withLock { contents in
            guard contents.isOpen else { return nil }
            contents.pending.append(element)
            return contents.wakeReader()
        }
    }

    /// Closes the mailbox. The reader still takes the pending elements.
    func finish() { contents.withLock { $0.close() }?.resume() }

    /// Closes the mailbox at once. After this has returned, the reader takes no element any more.
    func cancel() {
        let (reader, dropped) = contents.withLock { contents in
            defer { contents.pending = [] }
            return (contents.close(), contents.pending)
        }
        reader?.resume()
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

    fileprivate mutating func close() -> WaitingReader? {
        isOpen = false
        return wakeReader()
    }

    fileprivate mutating func wakeReader() -> WaitingReader? {
        defer { reader = nil }
        return reader
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
