// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Elements on their way to one reader, in order, each exactly once.
///
/// Posting never waits and resumes nobody: it returns the reader, if one is waiting, to be resumed when no lock is held.
final class Mailbox<Element: Sendable>: Sendable {
    private struct Contents {
        var pending: ArraySlice<Element> = []
        var reader: UnsafeContinuation<Element?, Never>?
        var isOpen = true
    }

    private let contents = Lock(Contents())

    /// A reader that has been given something.
    struct Delivery: Sendable {
        fileprivate let reader: UnsafeContinuation<Element?, Never>
        fileprivate let element: Element?

        func perform() { reader.resume(returning: element) }
    }

    func post(_ element: Element) -> Delivery? {
        contents.withLock { contents in
            guard contents.isOpen else { return nil }
            if let reader = contents.reader {
                contents.reader = nil
                return Delivery(reader: reader, element: element)
            }
            contents.pending.append(element)
            return nil
        }
    }

    /// Lets the reader take what is there, then ends. Nothing more is accepted.
    func finish() {
        close(dropping: false)?.perform()
    }

    /// Ends at once: after this has returned, the reader takes nothing more.
    func cancel() {
        close(dropping: true)?.perform()
    }

    /// The next element; `nil` at the end and when the task is cancelled, which ends the mailbox.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { reader in
                contents.withLock { contents -> Delivery? in
                    if Task.isCancelled { (contents.pending, contents.isOpen) = ([], false) }
                    if let element = contents.pending.popFirst() { return Delivery(reader: reader, element: element) }
                    guard contents.isOpen, contents.reader == nil else { return Delivery(reader: reader, element: nil) }
                    contents.reader = reader
                    return nil
                }?.perform()
            }
        } onCancel: {
            cancel()
        }
    }

    private func close(dropping: Bool) -> Delivery? {
        contents.withLock { contents in
            contents.isOpen = false
            if dropping { contents.pending = [] }
            defer { contents.reader = nil }
            return contents.reader.map { Delivery(reader: $0, element: nil) }
        }
    }
}
